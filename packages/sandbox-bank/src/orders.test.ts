import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OrderedPayment } from '@firmquote/bank-formats';
import { executeOrders } from './orders.ts';

const payment = (endToEndId: string): OrderedPayment => ({
  ...{ endToEndId, uetr: null, paymentInformationId: 'RUN1S', amountMinor: 500n, currency: 'EUR' },
  debtor: { currency: 'EUR', account: '1', isIban: false, holder: 'House', bic: null },
  ...{ creditorName: 'Acme Ltd', creditorAccount: '2', remittanceText: 'invoice 5' },
});
const facts = (given: { isRefused?: boolean; isPaid?: boolean } = {}) => ({
  ...{ source: 'payment:1', isRefused: false, isPaid: false },
  ...given,
});

test('a payment file is paid, refused or passed over, payment by payment', () => {
  const { movements, rejections } = executeOrders(
    { messageId: 'RUN1', payments: ['paid', 'refused', 'known'].map(payment) },
    new Map([
      ['paid', facts()],
      ['refused', facts({ isRefused: true })],
      ['known', facts({ isPaid: true })],
    ]),
  );
  assert.deepEqual(
    movements.map((each) => [each.source, each.direction, each.endToEndId, each.counterpartyName]),
    [['payment:1', 'debit', 'paid', 'Acme Ltd']],
  );
  assert.deepEqual(
    rejections.map((each) => [each.messageId, each.paymentInformationId, each.endToEndId, each.reason]),
    [['RUN1', 'RUN1S', 'refused', 'AC04']],
  );
});

test('a payment that nobody has ordered is a fault', () => {
  assert.throws(
    () => executeOrders({ messageId: 'RUN1', payments: [payment('x')] }, new Map()),
    /x is in the file only/,
  );
});
