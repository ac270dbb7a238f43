import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesOf, readCustomer } from './customer-names.ts';

test('a name means its customer, and the name of two means neither', () => {
  const customers = [
    { customerId: 'cus_1', name: 'Acme Imports' },
    { customerId: 'cus_2', name: 'Twin' },
    { customerId: 'cus_3', name: 'twin ' },
  ];
  assert.deepEqual(namesOf(customers), ['Acme Imports']);
  assert.equal(readCustomer(' acme imports', customers), 'cus_1');
  for (const text of ['Twin', 'Acme', '', 'EUR/USD', 'cus_3'])
    assert.equal(readCustomer(text, customers), text);
});
