import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeAccount, SANDBOX_CURRENCIES } from '@firmquote/sandbox-bank';
import { readBankAccount } from '../customers/bank-account.ts';
import type { FieldError } from '../problems/problem.ts';

test('every currency that can be traded has an account that passes the checks of form', () => {
  assert.ok(SANDBOX_CURRENCIES.length >= 50);
  assert.ok(!SANDBOX_CURRENCIES.includes('HRK'));
  const seen = new Set<string>();
  for (const currency of SANDBOX_CURRENCIES) {
    for (const seed of ['1234567890', '9876543210']) {
      const account = fakeAccount(currency, seed);
      const errors: FieldError[] = [];
      readBankAccount(account, errors);
      assert.deepEqual(errors, [], currency);
      assert.equal((account.iban === null) !== (account.accountNumber === null), true);
      seen.add(`${account.iban ?? account.accountNumber}`);
    }
  }
  assert.match(fakeAccount('EUR', '1234567890').iban ?? '', /^DE\d{20}$/);
  assert.equal(fakeAccount('USD', '1234567890').accountNumber, '1234567890');
  assert.ok(seen.size > 2);
});
