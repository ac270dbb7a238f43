import { DEFAULT_SETTINGS } from '../../src/customers/profile.ts';
import { typeId } from '../../src/platform/ids.ts';
import { type OperatorServer, peopleOf } from './operator-server.ts';
import type { Sandbox } from './sandbox.ts';
import { createDesk } from './trading.ts';

export type BalanceHolder = Awaited<ReturnType<typeof createBalanceHolder>>;

const inUsd = ({ currency }: { readonly currency: string }): boolean => currency === 'USD';
let keys = 0;

/** A pre-funded customer of its own, and what operators do with its balance in US dollars. */
export async function createBalanceHolder(sandbox: Sandbox, server: OperatorServer) {
  const { pool } = sandbox.desk;
  const { get, say, done } = peopleOf(() => server);
  const desk = await createDesk(pool, { clock: sandbox.clock });
  desk.change({ settings: { ...DEFAULT_SETTINGS, fundingMode: 'pre_funded' } });
  const customerId = typeId('cus', desk.customerId);
  const path = `customers/${customerId}/balances`;
  const { topUpReference } = await get(path);
  return {
    ...{ desk, customerId, topUpReference },
    byHand: (amount: string, bankReference: string) =>
      server.call('POST', `/v1/operator/${path}/top-ups`, { currency: 'USD', amount, bankReference }),
    reverse: (bankReference: string, body: object = {}) =>
      say(`${path}/top-up-reversals`, { bankReference, ...body }),
    topUps: async () => (await get(`${path}/top-ups`)).items,
    available: async () => (await get(path)).items.find(inUsd)?.available ?? '0.00',
    owed: async () => (await get(path)).debts.find(inUsd)?.amount ?? '0.00',
    withdraw: (amount: string) =>
      done(`${path}/withdrawals`, { currency: 'USD', amount }, { 'idempotency-key': `holder ${++keys}` }),
    /** What is open between bank and ledger of its top-ups. */
    items: async (): Promise<string[]> => {
      const { items } = await get('ledger/bank-reconciliation/items?limit=200');
      return items
        .filter((each: { customerId: string | null }) => each.customerId === customerId)
        .map((each: { kind: string; amount: string }) => `${each.kind} ${each.amount}`);
    },
    events: async () => {
      const { rows } = await pool.query<{ type: string }>(
        'select type from feed_events where customer_id = $1 order by sequence',
        [desk.customerId],
      );
      return rows.map(({ type }) => type);
    },
  };
}
