import type { PostalAddress } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import { addressAsked, addressOf } from '../parts/address-fields.ts';
import type { PageCommand } from '../parts/page-command.ts';

/** Where a customer lives, as payment files say it. */

const SHARED = {
  scope: 'operator:settlement-instructions',
  why: 'none',
} as const;

/** The subject: the address that there is, or null. */
export const SET_ADDRESS: PageCommand<PostalAddress | null> = {
  ...SHARED,
  label: 'Set the address',
  about:
    'Payment files name it as the address of who is paid. Town and country stand in fields of their own.',
  done: 'The address is set.',
  asks: (of) => addressAsked(of),
  send: ([customerId = ''], given) =>
    operator.setPostalAddress(customerId, { postalAddress: addressOf(given) ?? null }),
};

export const REMOVE_ADDRESS: PageCommand<undefined> = {
  ...SHARED,
  label: 'Remove the address',
  about: 'Payment files have no address of the customer any more. Some banks refuse such payments.',
  done: 'The address is removed.',
  send: ([customerId = '']) => operator.setPostalAddress(customerId, { postalAddress: null }),
};
