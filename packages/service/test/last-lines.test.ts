import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { topUpBalance } from '../src/balances/balances.ts';
import { inTransaction, type Pool } from '../src/database/pool.ts';
import { newUuid, typeId } from '../src/platform/ids.ts';
import { debit, e2e, instructed, reported } from './support/bank-story.ts';
import { createTestDatabase } from './support/database.ts';
import { setLimits } from './support/executions.ts';
import { LAST_LINES, NO_LINE, NOT_MONEY, type Violation } from './support/last-lines.ts';
import { STATEMENT_LINES } from './support/last-lines-of-statements.ts';
import { createOperatorServer, type OperatorServer } from './support/operator-server.ts';
import { createSandbox } from './support/sandbox.ts';
import { executionOf } from './support/trading.ts';

let pool: Pool;
/** Who may do anything is still refused. */
let owner: Pool;
let server: OperatorServer;

before(async () => {
  ({ pool, owner } = await createTestDatabase());
  const sandbox = await createSandbox(pool);
  server = createOperatorServer(sandbox);
  await makeRows(sandbox.desk);
});
after(() => server.close());

/** A row in every table of {@link LAST_LINES}: trades of both sides, their money in and out, and an operator's work. */
async function makeRows(desk: Awaited<ReturnType<typeof createSandbox>>['desk']): Promise<void> {
  const [paid] = await instructed(pool, 2);
  assert.ok(paid);
  await reported(server, [
    debit(paid.amount, e2e(paid.endToEndId)),
    { amount: '12.00', currency: 'EUR', reference: 'BANKREF-X', details: [] },
    debit('13.00', e2e('NOBODY-KNOWS-IT')),
  ]);
  const { customerId, clock } = desk;
  await setLimits(desk, {});
  const key = { key: 'k', fingerprint: 'f' };
  const quote = await desk.quote({ fixedSide: 'buy' });
  await desk.services.transactions.execute(executionOf(desk, quote.id, { key }));
  const late = { ...key, key: 'late' };
  await desk.services.transactions.execute(executionOf(desk, quote.id, { key: late }));
  const money = { customerId, currency: 'USD', amountMinor: 100_000n, bankReference: 'T1' };
  await inTransaction(pool, (connection) => topUpBalance(connection, money, clock.now()));
  await owner.query(
    `insert into reversed_top_ups (customer_id, id, currency, amount_minor, bank_reference, booked_at, journal_entry_id, reversal_id,
       reversed_by, at, reason, owed_minor)
     select customer_id, id, currency, amount_minor, bank_reference, at, id, gen_random_uuid(), gen_random_uuid(), now(), 'x', 0
     from balance_top_ups limit 1`,
  );
  await owner.query(
    'update balance_top_ups set deposit_id = (select id from deposits limit 1), journal_entry_id = id',
  );
  const url = `/v1/operator/customers/${typeId('cus', customerId)}/balances/withdrawals`;
  const withdrawal = { currency: 'USD', amount: '10.00', reason: 'asked by letter' };
  assert.equal((await server.call('POST', url, withdrawal, { 'idempotency-key': 'W' })).status, 201);
  const run = { currency: 'USD', valueDate: '2026-03-04' };
  assert.equal((await server.call('POST', '/v1/operator/settlement-runs', run)).status, 201);
  const [id, other] = [newUuid(clock.now()), newUuid(clock.now())];
  await owner.query(`insert into balance_references (customer_id) values ('${customerId}')`);
  await owner.query(
    `insert into known_remitters (id, customer_id, account, learnt_at, learnt_by, deposit_id)
     values ('${id}', '${customerId}', 'DE1', now(), '${id}', '${id}')`,
  );
  await owner.query(
    `insert into virtual_accounts (id, customer_id, currency, number, status, created_at, created_by)
     values ('${id}', '${customerId}', 'EUR', 'DE12', 'active', now(), '${id}')`,
  );
  await owner.query(
    `insert into reconciliation_exceptions (id, type, reason, customer_id, transaction_id, status, opened_at, version)
     values ('${id}', 'short', 'x', '${customerId}', '${other}', 'open', now(), 1)`,
  );
  await owner.query(
    `insert into transaction_holds (customer_id, transaction_id, id, kind, reason, placed_by, placed_at)
     values ('${customerId}', '${other}', '${id}', 'review', 'x', '${id}', now())`,
  );
  await owner.query(
    `insert into deposit_returns (id, deposit_id, currency, amount_minor, status, account_holder, iban, requested_by, reason,
       created_at, updated_at)
     select '${id}', d.id, d.currency, 100, 'pending', 'Payer', 'DE1', '${id}', 'x', now(), now() from deposits d limit 1`,
  );
  await owner.query(
    `insert into payment_items (customer_id, payment_id, purpose, return_id, attempt, amount_minor, live)
     select customer_id, payment_id, 'deposit_return', '${id}', 1, 100, true from payment_items limit 1`,
  );
  await owner.query(
    `insert into payment_statuses (id, file_id, position, line, level, status, state)
     select '${id}', id, 0, 1, 'file', 'ACTC', 'noted' from statement_files limit 1`,
  );
  await owner.query(
    `insert into approvals (id, kind, subject, request, reason, status, proposed_by, proposed_at)
     values ('${id}', 'x', 'x', '{}', 'x', 'pending', '${id}', now())`,
  );
  await owner.query(
    `insert into acted_amounts (id, kind, acted_by, usd_minor, at) values ('${id}', 'x', '${id}', 1, now())`,
  );
  await owner.query(
    `insert into four_eyes_policies (version, document, changed_by, changed_at) values (2, '{}', '${id}', now())`,
  );
}

/** The text of a statement that breaks the rule. */
async function statementOf(violation: Violation): Promise<string> {
  if ('statement' in violation) return violation.statement;
  const [table, where = 'true'] = violation.copyOf.split(' where ');
  const { rows } = await owner.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER' order by ordinal_position`,
    [table],
  );
  const columns = rows.map(({ name }) => name);
  for (const column of Object.keys(violation.with)) assert.ok(columns.includes(column), column);
  const values = columns.map((column) => violation.with[column] ?? `t.${column}`);
  return `insert into ${table} (${columns.join(', ')})
          select ${values.join(', ')} from ${table} t where ${where} limit 1`;
}

/** The name of what refuses the statement. Whatever it did is undone. */
async function refuserOf(text: string): Promise<string> {
  const client = await owner.connect();
  try {
    await client.query('begin');
    const { rowCount } = await client.query(text);
    return rowCount === 0 ? 'there is no row to try it on' : 'nothing';
  } catch (error) {
    const { constraint, message } = error as { constraint?: string; message: string };
    return constraint ?? message;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const LINES = { ...LAST_LINES, ...STATEMENT_LINES };

/** What triggers raise has no name. */
const RAISED: Readonly<Record<string, RegExp>> = {
  journal_is_append_only: /append-only/,
  audit_log_is_append_only: /append-only/,
  log_seals_are_append_only: /append-only/,
  log_heads_are_append_only: /append-only/,
  log_nodes_are_append_only: /append-only/,
  log_exports_are_append_only: /append-only/,
  log_archives_are_append_only: /append-only/,
  deposit_history_is_append_only: /append-only/,
  exception_history_is_append_only: /append-only/,
  funding_instructions_are_append_only: /append-only/,
  quote_prices_stay: /prices of quotes are not deleted/,
  market_prices_stay: /prices of quotes are not deleted/,
  quote_spreads_stay: /prices of quotes are not deleted/,
  journal_has_open_days: /the day of a journal entry is closed/,
};

describe('the schema itself refuses what would break', () => {
  for (const [name, violation] of Object.entries(LINES)) {
    test(name, async () => {
      const refuser = await refuserOf(await statementOf(violation));
      const raised = RAISED[name];
      if (raised !== undefined) assert.match(refuser, raised);
      else assert.equal(refuser, name);
    });
  }
});

test('what is append-only is refused to be changed, deleted and emptied', async () => {
  const { rows: kept } = await owner.query<{ table: string; column: string }>(
    `select t.tgrelid::regclass::text as table, quote_ident(a.attname) as column
     from pg_trigger t join pg_attribute a on a.attrelid = t.tgrelid and a.attnum = 1
     where t.tgfoid = 'refuse_change()'::regprocedure order by 1`,
  );
  assert.ok(kept.length > 5);
  for (const { table, column } of kept) {
    for (const statement of [
      `update ${table} set ${column} = ${column}`,
      `delete from ${table}`,
      `truncate ${table} cascade`,
    ]) {
      assert.equal(await refuserOf(statement), `${table} is append-only`, statement);
    }
  }
});

/** Rules about the form of one column: which words, how long, from which number on. The code has them as types. */
const FORMS: readonly RegExp[] = [
  /^CHECK \(\(\w+ = ANY \(ARRAY\[[^\]]*\]\)\)\)( NOT VALID)?$/,
  /^CHECK \(\(\w+ ~ '[^']*'::text\)\)$/,
  /^CHECK \(\(+length\(\w+\) (=|>=) \d+\)+( AND \(length\(\w+\) <= \d+\)\)\))?$/,
  /^CHECK \(+"?(version|position|number|attempts|part|sequence|score|count|payments|validity_seconds|size_bytes|payment_statuses|one)"?\b[^A-Z]*(AND \(\w+ <= \d+\)\)\))?$/,
];

interface Rule {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Every rule of the schema by which a row may be refused, apart from types, NOT NULL and references. */
async function rules(): Promise<readonly Rule[]> {
  const { rows } = await pool.query<Rule>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint
     where connamespace = 'public'::regnamespace and contype in ('c', 'u', 'p', 'x') and conrelid <> 0
       and not conrelid in (select inhrelid from pg_inherits where inhrelid <> 'events_default'::regclass)
     union all
     select indrelid::regclass::text, indexrelid::regclass::text, pg_get_indexdef(indexrelid)
     from pg_index i
     where indisunique and indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
     union all
     select tgrelid::regclass::text, tgname, pg_get_triggerdef(t.oid)
     from pg_trigger t join pg_proc f on f.oid = t.tgfoid and f.prosrc ~* 'raise exception' where not tgisinternal
     order by 1, 2`,
  );
  return rows;
}

test('every rule of the tables that hold money is tried above, or has a reason', async () => {
  const found = await rules();
  const isMoney = ({ table }: Rule) =>
    !Object.keys(NOT_MONEY).some((tables) => new RegExp(tables).test(table));
  const untried = found.filter(
    (rule) =>
      !(rule.name in LINES || rule.name in NO_LINE) &&
      isMoney(rule) &&
      !FORMS.some((form) => form.test(rule.definition)),
  );
  assert.deepEqual(
    untried.map(({ table, name, definition }) => `${table}: ${name} ${definition}`),
    [],
    'give it a violation in test/support/last-lines.ts, or a reason',
  );
  const names = new Set(found.map(({ name }) => name));
  assert.deepEqual(
    [...Object.keys(LINES), ...Object.keys(NO_LINE)].filter((name) => !names.has(name)),
    [],
    'no longer in the schema',
  );
});
