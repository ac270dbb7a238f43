import type { CollectionAccount } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import type { Asked } from '../parts/action.tsx';
import { addressAsked, addressOf } from '../parts/address-fields.ts';
import { CURRENCY_ASKED, type PageCommand, text } from '../parts/page-command.ts';
import { check } from '../parts/written-forms.ts';

/** An account that waits is what was set last: whoever changes it goes on from there, and one without it would end its wait. */
function setLast(of: CollectionAccount | undefined) {
  return of?.next ?? of;
}

/** @param of the account of the currency; undefined where it has none yet */
export function collectionAccountCommand(of: CollectionAccount | undefined): PageCommand<undefined> {
  return {
    label: of === undefined ? 'Add an account' : 'Change',
    scope: 'operator:house-accounts',
    why: 'house_account',
    about:
      'New trades tell customers to pay into it, and payouts leave from it. Another account may have to wait before it is used. Trades that exist keep theirs.',
    done: (answer) =>
      (answer as Partial<CollectionAccount>).next == null
        ? 'The account is in use.'
        : 'The account is set, and waits before it is used.',
    asks: () => asked(of),
    send: ([currency], given, { reason }) => {
      const optional = (name: string) => text(given[name]) || null;
      return operator.setCollectionAccount(
        currency ?? text(given.currency),
        {
          accountHolder: text(given.accountHolder),
          bankName: optional('bankName'),
          iban: optional('iban'),
          accountNumber: optional('accountNumber'),
          bic: optional('bic'),
          routingNumber: optional('routingNumber'),
          rails: text(given.rails)
            .split(/[,\s]+/)
            .filter((name) => name !== ''),
          holderAddress: addressOf(given) ?? null,
          holderLei: optional('holderLei'),
        },
        { reason },
      );
    },
  };
}

function asked(of: CollectionAccount | undefined): readonly Asked[] {
  const last = setLast(of);
  return [
    ...(of === undefined ? [CURRENCY_ASKED] : []),
    { name: 'accountHolder', label: 'Account holder', initial: last?.accountHolder ?? '' },
    { name: 'bankName', label: 'Bank', initial: last?.bankName ?? '', isOptional: true },
    { name: 'iban', label: 'IBAN', initial: last?.iban ?? '', isOptional: true },
    {
      name: 'accountNumber',
      label: 'Account number',
      hint: 'An IBAN, an account number, or both.',
      initial: last?.accountNumber ?? '',
      isOptional: true,
    },
    { name: 'bic', label: 'BIC', initial: last?.bic ?? '', isOptional: true },
    {
      name: 'routingNumber',
      label: 'Routing number',
      initial: last?.routingNumber ?? '',
      isOptional: true,
    },
    {
      name: 'rails',
      label: 'Payment rails',
      hint: 'Such as fedwire, rtp. Names are separated by commas.',
      initial: last?.rails.join(', ') ?? '',
      isOptional: true,
      check: check(/^[a-z0-9_, ]*$/, 'Enter names in small letters, such as fedwire, rtp.'),
    },
    { name: 'holderLei', label: 'LEI of the holder', initial: last?.holderLei ?? '', isOptional: true },
    // Payment files name it as the address of who pays.
    ...addressAsked(last?.holderAddress ?? null, "Holder's"),
  ];
}

export const RELEASE_COLLECTION_ACCOUNT: PageCommand<undefined> = {
  label: 'Release',
  scope: 'operator:house-accounts',
  why: 'account_released',
  about: 'The account that waits is used from now on.',
  done: 'The account is in use.',
  send: ([currency = ''], _, { reason }) => operator.releaseCollectionAccount(currency, { reason }),
};
