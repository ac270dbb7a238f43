import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportJournal } from '@firmquote/api/operations/ledger';
import { createTestDatabase } from '../../test/support/database.ts';
import { createOperatorServer } from '../../test/support/operator-server.ts';
import { createSandbox, standingTime } from '../../test/support/sandbox.ts';
import { EXAMPLE_INSTANT } from '../../test/support/trading.ts';
import { isoInstant } from '../platform/clock.ts';
import { newUuid, typeId } from '../platform/ids.ts';
import { HOUSE_ID, postEntries } from './journal.ts';

test('a trial balance is of now or of before, and of nothing that is still to come', async () => {
  const { pool } = await createTestDatabase({ connections: 4 });
  const server = createOperatorServer(await createSandbox(pool, EXAMPLE_INSTANT, standingTime()));
  const asked = (at: number) => server.call('GET', `/v1/operator/ledger/trial-balance?at=${isoInstant(at)}`);
  // Both are answered three seconds later.
  const [now, before] = await Promise.all([asked(EXAMPLE_INSTANT), asked(EXAMPLE_INSTANT - 1)]);
  assert.deepEqual([now.status, now.body.at], [200, isoInstant(EXAMPLE_INSTANT)]);
  assert.equal(before.status, 200);
  const later = await asked(EXAMPLE_INSTANT + 1);
  assert.deepEqual(
    [later.status, later.body.errors],
    [400, [{ pointer: '/query/at', code: 'out_of_range', detail: 'must not be in the future' }]],
  );
});

test('balances and postings before an instant have what was booked in its last moment and is committed later', async () => {
  const { pool } = await createTestDatabase({ connections: 6 });
  const sandbox = await createSandbox(pool, EXAMPLE_INSTANT, standingTime());
  const server = createOperatorServer(sandbox);
  const end = isoInstant(EXAMPLE_INSTANT);
  const { customerId } = sandbox.desk;
  const connection = await pool.connect();
  await connection.query('begin');
  const postings = [
    { account: 'bank', currency: 'KWD', amount: 1_001n },
    { account: 'customer_balance', currency: 'KWD', amount: -1_001n },
  ] as const;
  const entry = { customerId, kind: 'balance_topped_up', postings } as const;
  await postEntries(connection, [entry], EXAMPLE_INSTANT - 1);
  const of = `customerId=${typeId('cus', customerId)}&currency=KWD`;
  const asked = [
    server.call('GET', `/v1/operator/ledger/trial-balance?at=${end}&${of}`),
    server.call('GET', `/v1/operator/ledger/accounts/bank/postings?to=${end}&${of}`),
  ];
  await sleep(200);
  await connection.query('commit');
  connection.release();
  const [trial, bank] = await Promise.all(asked);
  assert.deepEqual(
    [trial?.body.currencies.map((each: { debit: string }) => each.debit), bank?.body.closingBalance],
    [['1.001'], '1.001'],
  );
  const owners = (at: string) =>
    server.call('GET', `/v1/operator/ledger/accounts/bank/balances?currency=KWD&at=${at}`);
  assert.deepEqual(
    [(await owners(end)).body.items, (await owners(isoInstant(EXAMPLE_INSTANT - 1))).body.items],
    [[{ customerId: typeId('cus', customerId), debit: '1.001', credit: null }], []],
  );
});

test('who has what on an account comes in pages, and not for an account or an instant that there is not', async () => {
  const { pool } = await createTestDatabase({ connections: 4 });
  const sandbox = await createSandbox(pool, EXAMPLE_INSTANT, standingTime());
  const server = createOperatorServer(sandbox);
  const owners = [HOUSE_ID, newUuid(EXAMPLE_INSTANT), newUuid(EXAMPLE_INSTANT)].toSorted();
  for (const [index, customerId] of owners.entries()) {
    const amount = BigInt(index + 1);
    const postings = [
      { account: 'suspense', currency: 'JPY', amount },
      { account: 'house_funds', currency: 'JPY', amount: -amount },
    ] as const;
    await postEntries(pool, [{ customerId, kind: 'bank_entry_booked', postings }], EXAMPLE_INSTANT);
  }
  const path = '/v1/operator/ledger/accounts/house_funds/balances';
  const first = await server.call('GET', `${path}?currency=JPY&limit=2`);
  assert.deepEqual(
    [first.body.items, first.body.hasMore],
    [
      [
        { customerId: 'house', debit: null, credit: '1' },
        { customerId: typeId('cus', owners[1] ?? ''), debit: null, credit: '2' },
      ],
      true,
    ],
  );
  const rest = await server.call('GET', `${path}?currency=JPY&limit=2&cursor=${first.body.nextCursor}`);
  assert.deepEqual(
    [rest.body.items, rest.body.nextCursor],
    [[{ customerId: typeId('cus', owners[2] ?? ''), debit: null, credit: '3' }], null],
  );
  const refused = await Promise.all([
    server.call('GET', `${path.replace('house_funds', 'petty_cash')}?currency=JPY`),
    server.call('GET', path),
    server.call('GET', `${path}?currency=JPY&at=${isoInstant(EXAMPLE_INSTANT + 1)}`),
  ]);
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.code, body.errors?.[0]?.pointer]),
    [
      [404, 'account_not_found', undefined],
      [400, 'validation_failed', '/query/currency'],
      [400, 'validation_failed', '/query/at'],
    ],
  );
});

test('HEAD of the export reads no journal', async (t) => {
  const { pool } = await createTestDatabase({ connections: 4 });
  const server = createOperatorServer(await createSandbox(pool));
  assert.equal((await server.raw('GET', exportJournal.path)).statusCode, 200);
  const snapshots = t.mock.method(pool, 'connect');
  const file = await server.raw('HEAD', exportJournal.path);
  assert.deepEqual([file.statusCode, file.headers['content-type']], [200, 'text/plain; charset=utf-8']);
  await sleep(200);
  // The export takes a connection by itself, and statements take theirs with a callback.
  assert.equal(snapshots.mock.calls.filter(({ arguments: [wait] }) => wait === undefined).length, 0);
});
