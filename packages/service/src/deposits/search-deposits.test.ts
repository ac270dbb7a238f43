import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { newUuid, typeId } from '../platform/ids.ts';

const PATH = '/v1/operator/deposits';
const MARCH = 'from=2026-03-01T00:00:00Z&to=2026-04-01T00:00:00Z';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
let customerId: string;
let reference: string;
/** Ids by their bank references, which are given in the order of receipt. */
const ids = new Map<string, string>();

async function arrived(bankReference: string, amount: string, patch: object = {}): Promise<void> {
  const body = { bankReference, amount, currency: 'USD', remitterName: 'Acme Ltd', ...patch };
  const reply = await server.call('POST', PATH, body);
  assert.equal(reply.status, 201, JSON.stringify(reply.body));
  ids.set(bankReference, reply.body.depositId);
}

before(async () => {
  ({ pool, sandbox, server } = await createOperatedSandbox());
  const row = await sandbox.trade({ amount: '500.00' });
  const other = await sandbox.trade({ amount: '40.00' });
  customerId = typeId('cus', row.customer_id);
  ({ reference } = row);
  const at = (time: string) => ({ receivedAt: `2026-03-04T${time}:00Z` });
  await arrived('A', '500.00', { reference, ...at('09:00') });
  await arrived('B', '500.00', {
    remitterName: 'Bolt 100% Inc',
    remittanceText: 'INVOICE 77',
    ...at('09:01'),
  });
  await arrived('C', '7.00', { remitterAccount: 'GB29NWBK60161331926819', ...at('09:02') });
  await arrived('D', '7.00', { currency: 'EUR', valueDate: '2026-03-03', ...at('09:03') });
  await arrived('E', '40.00', { reference: other.reference, ...at('09:04') });
});
after(() => server.close());

const page = async (query: string) => {
  const { status, body } = await server.call('GET', `${PATH}?${query}`);
  assert.equal(status, 200, `${query}: ${JSON.stringify(body)}`);
  return body;
};
const found = async (query: string): Promise<string> => {
  const names = new Map([...ids].map(([name, id]) => [id, name]));
  const { items } = await page(query);
  return items.map((each: { depositId: string }) => names.get(each.depositId)).join('');
};

describe('operators find deposits', () => {
  test('by each of what they may have in hand', async () => {
    for (const [query, expected] of [
      ['', 'EDCBA'],
      ['status=unmatched', 'DCB'],
      ['status=matched&currency=USD', 'EA'],
      ['currency=EUR,USD', 'EDCBA'],
      ['status=returned', ''],
      ['currency=USD&amount=500.00', 'BA'],
      ['currency=USD&amount=500.00&status=matched', 'A'],
      ['currency=EUR&amount=500.00', ''],
      [`currency=USD&minAmount=7.00&maxAmount=40.00&${MARCH}`, 'EC'],
      [`currency=USD&minAmount=40.01&${MARCH}`, 'BA'],
      [`remitter=bolt&${MARCH}`, 'B'],
      [`remitter=100%25&${MARCH}`, 'B'],
      [`text=voice%207&${MARCH}`, 'B'],
      [`text=voice_7&${MARCH}`, ''],
      ['remitterAccount=GB29%20NWBK%206016%201331%209268%2019', 'C'],
      ['bankReference=D', 'D'],
      [`reference=${reference}`, 'A'],
      [`reference=${reference.toLowerCase()}`, 'A'],
      ['reference=RF00000000000000', ''],
      [`customerId=${customerId}&currency=USD&minAmount=41.00`, 'A'],
      [`customerId=${typeId('cus', newUuid(0))}`, ''],
      ['valueDateFrom=2026-03-03&valueDateTo=2026-03-03', 'D'],
      ['valueDateFrom=2026-03-04&valueDateTo=2026-03-04', 'ECBA'],
      ['bookedFrom=2026-03-03&bookedTo=2026-03-05', ''],
      ['from=2026-03-04T09:03:00Z', 'ED'],
      ['to=2026-03-04T09:01:00Z', 'A'],
      [`account=nobody&${MARCH}`, ''],
    ] as const) {
      assert.equal(await found(query), expected, query);
    }
  });

  test('also where several customers share one, or an unmatched one names the reference', async () => {
    const [one, two] = [await sandbox.trade({ amount: '30.00' }), await sandbox.trade({ amount: '20.00' })];
    const allocations = [one, two].map((row) => ({ transactionId: typeId('txn', row.id) }));
    await arrived('S', '50.00', { receivedAt: '2026-03-04T09:05:00Z' });
    const match = await server.call('POST', `${PATH}/${ids.get('S')}/match`, { allocations, reason: 'both' });
    assert.equal(match.status, 200, JSON.stringify(match.body));
    await pool.query('update deposits set customer_id = null where bank_reference = $1', ['S']);
    assert.match(await found(`customerId=${typeId('cus', two.customer_id)}`), /^S/);
    assert.equal(await found(`reference=${one.reference}`), 'S');
    assert.equal(await found(`reference=${two.reference}`), 'S');
  });

  test('page by page, with a cursor that belongs to the filter', async () => {
    const query = 'currency=USD&amount=500.00&limit=1';
    const first = await page(query);
    const second = await page(`${query}&cursor=${first.nextCursor}`);
    assert.deepEqual(
      [...first.items, ...second.items].map((each) => each.bankReference),
      ['B', 'A'],
    );
    assert.equal(second.hasMore, false);
    const other = await server.call(
      'GET',
      `${PATH}?currency=USD&amount=7.00&limit=1&cursor=${first.nextCursor}`,
    );
    assert.equal(other.body.code, 'cursor_invalid');
  });

  test('and are told what is wrong, or too wide to look through', async () => {
    for (const [query, pointer] of [
      ['amount=1.00', '/query/amount'],
      ['currency=USD,EUR&amount=1.00', '/query/amount'],
      ['currency=USD&amount=1.001', '/query/amount'],
      ['currency=USD&minAmount=1.00', '/query/from'],
      ['remitter=bolt', '/query/from'],
      ['text=invoice&from=2025-01-01T00:00:00Z', '/query/from'],
      ['account=house', '/query/from'],
      ['valueDateFrom=2026-03-01', '/query/from'],
      ['bookedFrom=2025-01-01&bookedTo=2026-01-01', '/query/from'],
      ['valueDateFrom=2026-03-02&valueDateTo=2026-03-01', '/query/valueDateTo'],
      ['colour=red', '/query/colour'],
    ] as const) {
      const { body } = await server.call('GET', `${PATH}?${query}`);
      assert.equal(body.code, 'validation_failed', query);
      assert.equal(body.errors[0].pointer, pointer, query);
    }
  });
});
