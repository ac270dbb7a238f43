import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ReportedPayment, writePain002 } from './pain002.ts';
import { readStatements } from './read-statements.ts';
import type { PaymentStatus } from './statement.ts';

test('a status report that is written is read again', async () => {
  const payment = (given: Partial<ReportedPayment>): ReportedPayment => ({
    ...{ status: 'RJCT', reasonCode: 'AC04', originalId: 'RUN1S', endToEndId: 'E1', instructionId: 'I1' },
    ...{ uetr: 'eb6305c9-1f7f-49de-aed0-16487c27b42d', amountMinor: 12_345n, currency: 'EUR' },
    ...given,
  });
  const written = [
    payment({}),
    payment({ originalId: 'RUN1P', status: 'PDNG', reasonCode: null, uetr: null }),
    payment({ endToEndId: 'E3', amountMinor: 5n, currency: 'JPY' }),
  ];
  const header = { id: 'M1', createdAt: '2026-03-04T18:00:00Z', originalMessageId: 'RUN1' };
  const file = writePain002(header, written);
  const read: PaymentStatus[] = [];
  const source = {
    async *open() {
      yield Buffer.from(file);
    },
  };
  for await (const events of readStatements(source, 'pain.002')) {
    for (const event of events) if (event.type === 'payment_status') read.push(event.payment);
  }
  assert.deepEqual(
    read.map(({ line: _, level, reasonText: __, ...each }) => [level, each]),
    // Payments of one block stand together.
    [written[0], written[2], written[1]].map((each) => ['payment', each]),
  );
});
