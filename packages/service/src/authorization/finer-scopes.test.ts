import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from '@firmquote/api/operations/index';
import { sufficientScopes } from '@firmquote/api/scopes';
import { createTestDatabase } from '../../test/support/database.ts';
import { migrate, readSchema, schemaOf } from '../database/migrate.ts';
import { newUuid } from '../platform/ids.ts';
import { CUSTOMER_SCOPES, OPERATOR_SCOPES } from './scopes.ts';

/** The operations that a token with this scope alone may call. */
const permittedBy = (scope: string) =>
  OPERATIONS.filter((operation) => sufficientScopes(operation).includes(scope)).map(({ id }) => id);

const WRITES = new Map(OPERATIONS.filter(({ method }) => method !== 'GET').map((each) => [each.id, each]));
const writesOf = (scope: string) => permittedBy(scope).filter((id) => WRITES.has(id));

test('every operation names scopes that exist, and every scope permits something', () => {
  const known: readonly string[] = [...CUSTOMER_SCOPES, ...OPERATOR_SCOPES];
  for (const operation of OPERATIONS) {
    for (const scope of sufficientScopes(operation)) assert.ok(known.includes(scope), operation.id);
  }
  // Everything is more than one scope, and the endpoints of OAuth take no token.
  const idle = known.filter((scope) => permittedBy(scope).length === 0);
  assert.deepEqual(idle, ['operator:*', 'operator:introspection']);
});

test('what reads changes nothing', () => {
  for (const scope of OPERATOR_SCOPES.filter((each) => each.endsWith(':read'))) {
    assert.deepEqual(writesOf(scope), [], scope);
  }
});

test('who works on deposits moves no payout, and who executes withdraws nothing', () => {
  const money =
    /payout|refund|withdraw|settlementrun|topup|recorddeposit|statemententry|commandtransactions/i;
  // A deposit that takes the place of a top-up is matched, like any other.
  assert.deepEqual(
    writesOf('operator:deposits').filter((id) => money.test(id)),
    ['replaceTopUp'],
  );
  assert.deepEqual(writesOf('trades:execute'), ['executeQuote']);
  assert.deepEqual(writesOf('withdrawals:write'), ['cancelWithdrawal', 'createWithdrawal']);
});

test('who manages customers changes neither their accounts nor their clients', () => {
  assert.deepEqual(writesOf('operator:customers').sort(), [
    'createCustomer',
    'resumeCustomer',
    'suspendCustomer',
    'updateCustomer',
  ]);
});

test('payment files are not for those who only read', () => {
  assert.ok(!permittedBy('operator:transactions:read').includes('downloadSettlementRunFile'));
  assert.ok(permittedBy('operator:transactions:read').includes('listSettlementRuns'));
});

test('clients that are there already keep what they could do, and gain nothing', async () => {
  const { owner: pool } = await createTestDatabase({ migrated: false });
  const { migrations, definitions } = await readSchema();
  const earlier = migrations.filter(({ name }) => name < '0010');
  // Of what is defined upon tables, some stands on later ones.
  const below = definitions.filter(({ isUnderTables }) => isUnderTables);
  await migrate(pool, schemaOf(earlier, below));
  const customerId = newUuid(1);
  await pool.query(
    `insert into customers (id, name, created_at, updated_at) values ($1, 'x', now(), now())`,
    [customerId],
  );
  const stored = [
    ['customer', ['quotes:read', 'trades:execute'], ['quotes:read', 'trades:execute', 'withdrawals:write']],
    ['customer', ['quotes:read'], ['quotes:read']],
    ['operator', ['operator:*'], ['operator:*']],
    [
      'operator',
      ['operator:deposits', 'operator:ledger'],
      ['operator:deposits', 'operator:ledger', 'operator:entries', 'operator:funding'],
    ],
    [
      'operator',
      ['operator:customers'],
      [
        'operator:customers',
        'operator:credentials',
        'operator:house-accounts',
        'operator:settlement-instructions',
      ],
    ],
  ] as const;
  for (const [at, [kind, scopes]] of stored.entries()) {
    await pool.query(
      `insert into oauth_clients (id, kind, customer_id, name, scopes, created_at, updated_at)
       values ($1, $2, $3, 'x', $4, now(), now())`,
      [newUuid(at + 1), kind, kind === 'customer' ? customerId : null, scopes],
    );
  }
  await migrate(pool);
  const { rows } = await pool.query<{ scopes: string[] }>('select scopes from oauth_clients order by id');
  assert.deepEqual(
    rows.map(({ scopes }) => scopes),
    stored.map(([, , after]) => after),
  );
});
