import assert from 'node:assert/strict';
import type { Pool } from '../../src/database/pool.ts';
import { typeId } from '../../src/platform/ids.ts';
import type { PricedTransaction, TransactionRow } from '../../src/transactions/record.ts';
import { createOperatorServer, type OperatorServer, type Reply } from './operator-server.ts';
import { createSandbox, type Sandbox } from './sandbox.ts';

/** An operator who works on deposits over HTTP, and a customer who trades. */
export interface ManualDesk {
  readonly sandbox: Sandbox;
  readonly call: OperatorServer['call'];
  /** Text of an answer that is not JSON. */
  readonly raw: (url: string) => ReturnType<OperatorServer['raw']>;
  /** A deposit without a reference, unless the patch has one. Answers its path. */
  arrived(amount: string, patch?: Readonly<Record<string, unknown>>): Promise<string>;
  /** A trade of 5,000.00 USD. */
  small(): Promise<PricedTransaction>;
  match(
    url: string,
    rows: readonly (TransactionRow | [TransactionRow, string])[],
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply>;
  statusOf(row: TransactionRow): Promise<string>;
  /** What the history says was done, newest first. */
  actionsOf(url: string): Promise<string[]>;
  close(): Promise<unknown>;
}

let bookings = 0;

export async function createManualDesk(pool: Pool): Promise<ManualDesk> {
  const sandbox = await createSandbox(pool);
  const server = createOperatorServer(sandbox);
  const { call } = server;
  return {
    sandbox,
    call,
    raw: (url) => server.raw('GET', url),
    async arrived(amount, patch = {}) {
      const body = {
        bankReference: `M${++bookings}`,
        amount,
        currency: 'USD',
        remitterName: 'Test customer',
        remitterAccount: 'DE02 1203 0000 0000 2020 51',
        ...patch,
      };
      const reply = await call('POST', '/v1/operator/deposits', body);
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
      return `/v1/operator/deposits/${reply.body.depositId}`;
    },
    small: () => sandbox.trade({ amount: '5000.00' }),
    match(url, rows, headers = {}) {
      const allocations = rows.map((each) =>
        Array.isArray(each)
          ? { transactionId: typeId('txn', each[0].id), amount: each[1] }
          : { transactionId: typeId('txn', each.id) },
      );
      return call('POST', `${url}/match`, { allocations, reason: 'told by phone' }, headers);
    },
    statusOf: async (row) => (await sandbox.read(row)).status,
    async actionsOf(url) {
      const { body } = await call('GET', `${url}/history`);
      return body.items.map((item: { action: string }) => item.action);
    },
    close: () => server.close(),
  };
}
