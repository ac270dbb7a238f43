import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TransactionDetails } from '@firmquote/bank-formats';
import { makeReference } from '@firmquote/fx';
import { type CamtEntry, txDtls } from '../../../bank-formats/src/test-support.ts';
import { e2e, type ShownEntry, told } from '../../test/support/bank-story.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { createOperatorServer, type OperatorServer } from '../../test/support/operator-server.ts';
import { createSandbox } from '../../test/support/sandbox.ts';
import { contradictions } from './complete-entry.ts';
import { fingerprintOf } from './fingerprint.ts';

const EMPTY: TransactionDetails = {
  kind: 'payment',
  amountMinor: 1_000n,
  endToEndId: null,
  uetr: null,
  instructionId: null,
  paymentInformationId: null,
  detailReference: null,
  structuredReferences: [],
  remittanceText: null,
  counterpartyName: null,
  counterpartyAccount: null,
  creditedAccount: null,
  returnReason: null,
  originalReference: null,
  exchange: null,
};
const fingerprint = (detail: Partial<TransactionDetails>) =>
  fingerprintOf(
    {
      direction: 'credit',
      status: 'booked',
      currency: 'USD',
      amountMinor: 1_000n,
      bookingDate: '2026-03-04',
      bankReference: 'R-1',
    },
    { ...EMPTY, ...detail },
    { id: 'a', bookingId: 'b', number: 1, payments: 1 },
  );
const between = (one: Partial<TransactionDetails>, other: Partial<TransactionDetails>) => {
  const [a, b] = [fingerprint(one), fingerprint(other)];
  assert.deepEqual(contradictions(b, a), contradictions(a, b), 'in either order');
  return contradictions(a, b);
};

describe('two tellings contradict each other', () => {
  test('in who paid, to what and for which trade', () => {
    assert.deepEqual(between({ counterpartyName: 'Acme Ltd' }, { counterpartyName: 'Zenith AG' }), [
      'counterpartyName',
    ]);
    assert.deepEqual(
      between({ counterpartyAccount: 'DE75512108001245126199' }, { counterpartyAccount: '4711' }),
      ['counterpartyAccount'],
    );
    assert.deepEqual(between({ creditedAccount: 'VA1' }, { creditedAccount: 'VA2' }), ['creditedAccount']);
    assert.deepEqual(between({ endToEndId: 'E-1' }, { endToEndId: 'E-2' }), ['endToEndId']);
    const [one, other] = [makeReference(1n), makeReference(2n)];
    const text = (reference: string) => `payment for ${reference}`;
    assert.deepEqual(between({ remittanceText: text(one) }, { remittanceText: text(other) }), [
      'remittanceText',
    ]);
    assert.deepEqual(between({ remittanceText: 'March rent' }, { remittanceText: 'Invoice 12' }), [
      'remittanceText',
    ]);
  });

  test('and not in how banks write it', () => {
    for (const [one, other] of [
      [{ counterpartyName: 'Müller Handels GmbH' }, { counterpartyName: 'MUELLER HANDELS' }],
      [{ counterpartyAccount: 'NL56AGDH0619008421' }, { counterpartyAccount: '619008421' }],
      [{ endToEndId: 'LONG-IDENTIFIER-1234567' }, { endToEndId: 'LONGIDENTIFIER123' }],
      [{ remittanceText: 'Invoice 12 of March' }, { remittanceText: 'SVWZ INVO ICE 12 OF MARCH' }],
      [{ remittanceText: 'Invoice 12', counterpartyName: 'Acme' }, {}],
      [
        { detailReference: 'D-1', instructionId: 'I-1' },
        { detailReference: 'D-2', instructionId: 'I-2' },
      ],
    ] as const) {
      assert.deepEqual(between(one, other), [], JSON.stringify([one, other]));
    }
  });
});

describe('a payment that is told differently', () => {
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
  const tellTwice = async (id: string, name: string): Promise<[ShownEntry, ShownEntry]> => {
    const [first] = await told(server, [payer('Acme Ltd', id)], { currency: 'USD', message: '054' });
    const [second] = await told(server, [payer(name, id)], {
      currency: 'USD',
      opening: '0.00',
      closing: '70.00',
    });
    assert.equal(second.sameAs, first.entryId);
    return [first, second];
  };

  test('is booked once, and is work for a person, who can close it or say that they are two', async () => {
    const [first, second] = await tellTwice('C-1', 'Zenith AG');
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
    const [, second] = await tellTwice('C-2', 'ACME');
    assert.deepEqual(second.differs, ['counterpartyName']);
    const { body } = await server.call('GET', '/v1/operator/exceptions?type=duplicate');
    assert.deepEqual(body.items, []);
  });
});
