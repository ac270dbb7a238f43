import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { EXCEPTION_TYPES } from '@firmquote/api/operations/deposits';
import type { CamtEntry } from '../../../bank-formats/src/test-support.ts';
import { type Payable, payable, reported } from '../../test/support/bank-story.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import { noteFailure } from '../bank-statements/apply-failures.ts';
import { inTransaction, type Pool } from '../database/pool.ts';
import { reportException } from '../deposits/exceptions.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
let call: OperatorServer['call'];
let bookings = 0;

before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
  call = server.call;
});
after(() => server.close());

interface Suggestion {
  readonly order: string;
  readonly path: string;
  readonly body: Record<string, string>;
}

/** Types and reasons, as the documents list them. */
function documented(): [type: string, reason: string][] {
  const read = (name: string) =>
    readFileSync(new URL(`../../../../docs/${name}.md`, import.meta.url), 'utf8').split('\n');
  const isType = (each: string | undefined) => EXCEPTION_TYPES.some((type) => type === each);
  const pairs = read('reconciliation').flatMap((line) => {
    const [, type, reasons = ''] = /^\| `(\w+)` \| (.*) \|$/.exec(line) ?? [];
    const words = [...reasons.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, word]) => word ?? '');
    return type !== undefined && isType(type) ? words.map((word): [string, string] => [type, word]) : [];
  });
  const payments = read('settlement').slice(read('settlement').indexOf('| Reason | |') + 2);
  const ofPayments = payments
    .slice(0, payments.indexOf(''))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, word]) => word ?? ''));
  const doubts = [
    'same_reference_other_date',
    'same_reference_other_amount',
    'same_reference_other_id',
    'same_uetr_other_amount',
  ];
  return [
    ...pairs.filter(([type]) => type !== 'payout_mismatch'),
    ...ofPayments.map((reason): [string, string] => ['payout_mismatch', reason]),
    ...doubts.map((reason): [string, string] => ['duplicate', reason]),
    ['unmatched', 'suggested'],
    ['not_applied', 'invalid_state_transition'],
  ];
}

async function arrived(amount: string, patch: Record<string, unknown> = {}): Promise<string> {
  const body = {
    bankReference: `O${++bookings}`,
    amount,
    currency: 'USD',
    remitterName: 'Somebody',
    ...patch,
  };
  const reply = await call('POST', '/v1/operator/deposits', body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  return reply.body.depositId;
}

const debit = async (): Promise<string> => {
  const entry: CamtEntry = {
    amount: '9.00',
    direction: 'DBIT',
    reference: `D-${++bookings}`,
    currency: 'USD',
  };
  const [shown] = await reported(server, [entry], { currency: 'USD', message: '054', number: `${bookings}` });
  return shown.entryId;
};

/** The exception of a deposit, as if it were open for another reason. */
async function ofDeposit(depositId: string, type: string, reason: string): Promise<string> {
  const id = parseTypeId('dep', depositId);
  await pool.query('update deposits set exception_type = $2, exception_reason = $3 where id = $1', [
    id,
    type,
    reason,
  ]);
  const { rows } = await pool.query<{ id: string }>(
    `update reconciliation_exceptions set type = $2, reason = $3 where deposit_id = $1 and status = 'open' returning id`,
    [id, type, reason],
  );
  assert.ok(rows[0], 'the deposit has an exception');
  return typeId('exc', rows[0].id);
}

/** What came without a reference bears that of a trade, as if it were held only because of who paid. */
async function isFor(depositId: string, { reference }: { readonly reference: string }): Promise<void> {
  await pool.query('update deposits set remittance_text = $2 where id = $1', [
    parseTypeId('dep', depositId),
    reference,
  ]);
}

async function ofEntry(type: string, reason: string): Promise<string> {
  const entryId = await debit();
  if (reason === 'not_in_statement') {
    const missing = 'update entry_details set missing_since = now() where id = $1';
    await pool.query(missing, [parseTypeId('ste', entryId)]);
  }
  const { rows } = await pool.query<{ id: string }>(
    `update reconciliation_exceptions set type = $2, reason = $3 where entry_id = $1 and status = 'open' returning id`,
    [parseTypeId('ste', entryId), type, reason],
  );
  assert.ok(rows[0], 'the entry has an exception');
  const exceptionId = typeId('exc', rows[0].id);
  const { body } = await call('GET', `/v1/operator/exceptions/${exceptionId}`);
  const entry = (await call('GET', `/v1/operator/statement-entries/${entryId}`)).body;
  assert.deepEqual(body.sum, { amount: entry.amount, currency: entry.currency }, 'that of its entry');
  return exceptionId;
}

async function ofPayment(made: Payable, reason: string): Promise<string> {
  const { customerId } = made.desk;
  const what =
    made.purpose === 'withdrawal'
      ? { transactionId: null, withdrawalId: made.subjectId }
      : { transactionId: made.subjectId, withdrawalId: null };
  const about = {
    type: 'payout_mismatch',
    reason,
    customerId,
    ...what,
    actor: 'system',
  } as const;
  const id = await inTransaction(pool, (connection) =>
    reportException(connection, about, sandbox.clock.now()),
  );
  return typeId('exc', id);
}

const suggestionsOf = async (exceptionId: string): Promise<Suggestion[]> => {
  const { status, body } = await call('GET', `/v1/operator/exceptions/${exceptionId}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.orders;
};
const named = (suggestions: readonly Suggestion[]) => suggestions.map(({ order }) => order);

/** What a person adds to the body of each command. */
const DECIDED: Readonly<Record<string, object>> = {
  resolve: { resolution: 'acknowledged', note: 'seen' },
  assign: { assignee: 'Ann' },
  retry: {},
};
function decided({ order, path }: Suggestion): object | undefined {
  if (/\/(transactions|withdrawals)\//.test(path)) return undefined;
  if (order === 'match' && path.includes('/deposits/')) {
    return {
      allocations: [{ transactionId: typeId('txn', '0195f000-0000-7000-8000-000000000000') }],
      reason: 'theirs',
    };
  }
  if (order === 'book' && path.includes('/deposits/')) return { as: 'interest', reason: 'of March' };
  return DECIDED[order] ?? { reason: 'looked at' };
}

/**
 * Sends a command in a version that there is not: what its state forbids is reported before the version is, so 412 says that it is
 * there and possible. Those on entries have no version and are sent without what a person decides.
 */
async function tryOut(suggestion: Suggestion): Promise<void> {
  const isOfEntry = suggestion.path.includes('/statement-entries/');
  const more = decided(suggestion);
  const body = isOfEntry ? {} : more === undefined ? undefined : { ...suggestion.body, ...more };
  const reply = await call('POST', suggestion.path, body, { 'if-match': '"v9999"' });
  const expected = isOfEntry ? [400, 'validation_failed'] : [412, 'version_mismatch'];
  assert.deepEqual(
    [reply.status, reply.body.code],
    expected,
    `${suggestion.path}: ${JSON.stringify(reply.body)}`,
  );
}

const MONEY = new Set(['unmatched', 'ambiguous', 'wrong_currency', 'third_party', 'implausible_date']);

describe('an exception says what can be done', () => {
  // These have tests of their own, beside those of what opens them.
  const elsewhere = new Set(['short', 'log_fault', 'report_failed']);
  for (const [type, reason] of documented().filter(([each]) => !elsewhere.has(each))) {
    test(`${type}, ${reason}`, async () => {
      const exceptions: string[] = [];
      if (MONEY.has(type) || ['paid_twice', 'topped_up_by_hand', 'nothing_outstanding'].includes(reason)) {
        const depositId = await arrived('10.00');
        if (type === 'third_party') await isFor(depositId, await sandbox.trade({ amount: '10.00' }));
        exceptions.push(await ofDeposit(depositId, type, reason));
      } else if (['excess', 'late', 'returned'].includes(type)) {
        const row = await sandbox.trade({ amount: '10.00' });
        exceptions.push(await ofDeposit(await arrived('11.00', { reference: row.reference }), type, reason));
      } else if (type === 'duplicate' || type === 'not_applied') {
        exceptions.push(await ofEntry(type, reason));
      } else if (type === 'payout_mismatch') {
        exceptions.push(await ofEntry(type, reason));
        for (const purpose of ['payout', 'refund', 'withdrawal'] as const) {
          exceptions.push(await ofPayment(await payable(pool, purpose), reason));
        }
      }
      assert.ok(exceptions.length > 0, 'the test knows how to make one');
      for (const id of exceptions) {
        const suggestions = await suggestionsOf(id);
        const work = named(suggestions).filter((each) => each !== 'assign' && each !== 'resolve');
        assert.ok(work.length > 0, 'more than to give it away');
        assert.ok(named(suggestions).includes('assign'));
        for (const each of suggestions) await tryOut(each);
      }
    });
  }

  test('of those that its money permits', async () => {
    const open = await ofDeposit(await arrived('20.00'), 'third_party', 'remitter_unknown');
    const expected = ['release', 'match', 'return', 'ignore', 'book', 'assign'];
    assert.deepEqual(named(await suggestionsOf(open)), expected);
    const exotic = await ofDeposit(await arrived('20.00'), 'wrong_currency', 'currency_not_tradable');
    assert.deepEqual(named(await suggestionsOf(exotic)), ['return', 'ignore', 'book', 'assign']);

    const row = await sandbox.trade({ amount: '30.00' });
    const excess = await ofDeposit(
      await arrived('31.00', { reference: row.reference }),
      'excess',
      'paid_too_much',
    );
    const [refund, ...others] = await suggestionsOf(excess);
    assert.deepEqual(
      [refund?.order, refund?.path],
      ['refund_excess', `/v1/operator/transactions/${typeId('txn', row.id)}/refund-excess`],
    );
    assert.deepEqual(named(others), ['unmatch', 'return', 'resolve', 'assign']);
    assert.equal((await call('POST', refund?.path ?? '')).status, 200);
    assert.deepEqual(await suggestionsOf(excess), []);
  });

  test('of those that its entry permits', async () => {
    const entryId = await debit();
    const { body } = await call('GET', `/v1/operator/statement-entries/${entryId}`);
    assert.deepEqual(named(await suggestionsOf(body.exceptionId)), ['match', 'book', 'assign']);
    await noteFailure(sandbox.desk, 'payment', parseTypeId('ste', entryId) ?? '', new Error('broken'));
    await pool.query("update reconciliation_exceptions set type = 'not_applied' where id = $1", [
      parseTypeId('exc', body.exceptionId),
    ]);
    assert.deepEqual(named(await suggestionsOf(body.exceptionId)), ['retry', 'match', 'book', 'assign']);

    const reference = `TWICE-${++bookings}`;
    const told2 = async (date: string) => {
      const entry: CamtEntry = { amount: '8.00', reference, currency: 'USD', booked: date };
      const [shown] = await reported(server, [entry], {
        currency: 'USD',
        message: '054',
        number: date,
        date,
      });
      return shown;
    };
    const first = await told2('2026-03-03');
    const second = await told2('2026-03-04');
    const suggestions = await suggestionsOf(second.exceptionId ?? '');
    assert.deepEqual(named(suggestions), ['another', 'same', 'match', 'book', 'assign']);
    assert.deepEqual(suggestions[1]?.body, { as: first.entryId });
    const done = await call('POST', suggestions[0]?.path ?? '', { reason: 'two payments' });
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.deepEqual(await suggestionsOf(second.exceptionId ?? ''), []);
  });
});
