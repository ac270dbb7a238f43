import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnInWords, operationInWords, operationOf, typeId } from './columns.ts';

const shown = (column: string, stored: string, row = {}) => {
  const { name, value, currency } = columnInWords(column, row);
  return [name, value(stored), currency];
};

test('an amount is told in its own units and currency, not in the smallest unit of the database', () => {
  assert.deepEqual(shown('daily_usd_minor', '200000000'), ['Daily volume', '2000000.00', 'USD']);
  assert.deepEqual(shown('amount_minor', '5', { currency: 'KWD' }), ['Amount', '0.005', 'KWD']);
  assert.deepEqual(shown('amount_minor', '-1250', { currency: 'JPY' }), ['Amount', '-1250', 'JPY']);
  assert.deepEqual(shown('sell_minor', '1', { sell_currency: 'EUR' }), ['Sell', '0.01', 'EUR']);
  assert.deepEqual(shown('used_minor', '7'), ['Used, in the smallest unit', '7', undefined]);
});

test('an id is written as others write it, and whoever acted is a person or a client', () => {
  const uuid = '01a209c6-0f5f-7c1a-8000-0123456789ab';
  assert.equal(typeId('cus', '00000000-0000-0000-0000-000000000021'), 'cus_00000000000000000000000011');
  assert.deepEqual(shown('customer_id', uuid), ['Customer', typeId('cus', uuid), undefined]);
  assert.equal(shown('changed_by', uuid)[1], typeId('cli', uuid));
  const person = '01a209c6-0f5f-8c1a-8000-0123456789ab';
  assert.equal(shown('changed_by', person)[1], typeId('per', person));
  assert.deepEqual(shown('customer_id', '00000000-0000-0000-0000-000000000000')[1], 'the house');
  assert.deepEqual(shown('other_id', uuid)[1], uuid);
  assert.deepEqual(shown('status', 'pending'), ['Status', 'pending', undefined]);
});

test('an operation is told in words, and found by these words or by its name', () => {
  for (const [id, text] of [
    ['setCustomerLimits', 'Set customer limits'],
    ['approve', 'Approve'],
    ['sweep:end_account_waits', 'Sweep: end account waits'],
    ['command:create-client', 'Command: create client'],
  ] as const) {
    assert.equal(operationInWords(id), text);
    assert.deepEqual(
      [operationOf(text), operationOf(id), operationOf(` ${text.toLowerCase()} `)],
      [id, id, id],
    );
  }
  assert.equal(operationOf('  '), undefined);
});
