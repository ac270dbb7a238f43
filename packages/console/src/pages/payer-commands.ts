import { operator } from '../api/session.ts';
import { CURRENCY_ASKED, type PageCommand, text } from '../parts/page-command.ts';

/** What is done about the accounts by which deposits of a customer are recognised. The customer's id comes first in each path. */

const accounts = { scope: 'operator:deposits' } as const;

export const ADD_VIRTUAL_ACCOUNT: PageCommand<undefined> = {
  ...accounts,
  label: 'Add a virtual account',
  why: 'house_account',
  about:
    'The bank has opened it for this customer: what arrives on it from now on is theirs. Trades name it once it has waited.',
  done: 'The account is added.',
  asks: () => [
    CURRENCY_ASKED,
    { name: 'number', label: 'IBAN or number', hint: 'As the bank has it in its statements.' },
  ],
  send: ([customerId = ''], { currency, number }, { idempotencyKey, reason }) =>
    operator.addVirtualAccount(
      customerId,
      { currency: text(currency), number: text(number) },
      { idempotencyKey, reason },
    ),
};

export const RELEASE_VIRTUAL_ACCOUNT: PageCommand<undefined> = {
  ...accounts,
  label: 'Release',
  why: 'account_released',
  about: 'New trades name it from now on.',
  done: 'New trades name the account.',
  send: ([customerId = '', id = ''], _, { reason }) =>
    operator.releaseVirtualAccount(customerId, id, { reason }),
};

export const CLOSE_VIRTUAL_ACCOUNT: PageCommand<undefined> = {
  ...accounts,
  // What closes the form is called Close.
  label: 'Close account',
  why: 'none',
  about: 'Payments that arrive on it later are nobody’s until somebody matches them.',
  done: 'The account is closed.',
  send: ([customerId = '', id = '']) => operator.closeVirtualAccount(customerId, id),
};

export const FORGET_REMITTER: PageCommand<undefined> = {
  ...accounts,
  label: 'Forget',
  why: 'none',
  about:
    'Deposits from it are no longer suggested for this customer, and may count as those of a third party. Matches stay.',
  done: 'The account is forgotten.',
  send: ([customerId = '', id = '']) => operator.forgetRemitter(customerId, id),
};
