import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type CamtEntry, txDtls } from '../../../bank-formats/src/test-support.ts';
import { e2e, reported, type ShownEntry } from '../../test/support/bank-story.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createOperatorServer, type OperatorServer } from '../../test/support/operator-server.ts';
import { createSandbox } from '../../test/support/sandbox.ts';

describe('a payment that is reported differently', () => {
  let server: OperatorServer;
  before(async () => {
    const { pool } = await createTestDatabase();
    server = createOperatorServer(await createSandbox(pool));
  });
  after(() => server.close());

  const payer = (name: string, id: string): CamtEntry => ({
    amount: '70.00',
    reference: `TD-${id}`,
    currency: 'USD',
    details: [txDtls('Invoice', { refs: e2e(id), parties: `<Dbtr><Pty><Nm>${name}</Nm></Pty></Dbtr>` })],
  });
  const reportTwice = async (id: string, name: string): Promise<[ShownEntry, ShownEntry]> => {
    const [first] = await reported(server, [payer('Acme Ltd', id)], { currency: 'USD', message: '054' });
    const [second] = await reported(server, [payer(name, id)], {
      currency: 'USD',
      opening: '0.00',
      closing: '70.00',
    });
    assert.equal(second.sameAs, first.entryId);
    return [first, second];
  };

  test('is booked once, and is work for a person, who can close it or say that they are two', async () => {
    const [first, second] = await reportTwice('C-1', 'Zenith AG');
    assert.deepEqual(
      [first.depositState, second.depositId, second.differs],
      ['booked', first.depositId, ['counterpartyName']],
    );
    const { body } = await server.call('GET', `/v1/operator/exceptions?type=duplicate`);
    const [shown] = body.items;
    assert.deepEqual(
      [body.items.length, shown.reason, shown.entryId],
      [1, 'told_differently', second.entryId],
    );
    const path = `/v1/operator/exceptions/${shown.exceptionId}`;
    const { orders } = (await server.call('GET', path)).body;
    assert.deepEqual(
      orders.map(({ order }: { order: string }) => order),
      ['another', 'resolve', 'assign'],
    );
    const closed = await server.call('POST', `${path}/resolve`, {
      resolution: 'acknowledged',
      note: 'a trade name',
    });
    assert.equal(closed.status, 200, JSON.stringify(closed.body));
  });

  test('and none where the second one only writes it otherwise', async () => {
    const [, second] = await reportTwice('C-2', 'ACME');
    assert.deepEqual(second.differs, ['counterpartyName']);
    const { body } = await server.call('GET', '/v1/operator/exceptions?type=duplicate');
    assert.deepEqual(body.items, []);
  });
});
