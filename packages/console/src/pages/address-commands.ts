import type { PostalAddress } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import type { Asked } from '../parts/action.tsx';
import { filled, type PageCommand, text } from '../parts/page-command.ts';
import { check } from '../parts/written-forms.ts';

/** Where a customer lives, as payment files say it. */

const SHARED = {
  scope: 'operator:settlement-instructions',
  why: 'none',
} as const;

type Part = Exclude<keyof PostalAddress, 'addressLines'>;

const PARTS: readonly (readonly [part: Part, label: string])[] = [
  ['streetName', 'Street'],
  ['buildingNumber', 'Building number'],
  ['postBox', 'Post box'],
  ['postalCode', 'Postal code'],
  ['townName', 'Town'],
  ['countrySubDivision', 'State or region'],
  ['country', 'Country'],
];
const REQUIRED: ReadonlySet<Part> = new Set<Part>(['townName', 'country']);

/** The subject: the address that there is, or null. */
export const SET_ADDRESS: PageCommand<PostalAddress | null> = {
  ...SHARED,
  label: 'Set the address',
  about:
    'Payment files name it as the address of who is paid. Town and country stand in fields of their own.',
  done: 'The address is set.',
  asks: (of) => [
    ...PARTS.map(
      ([part, label]): Asked => ({
        name: part,
        label,
        initial: of?.[part] ?? '',
        isOptional: !REQUIRED.has(part),
        ...(part === 'country'
          ? {
              hint: 'Two letters, such as DE.',
              read: (given: string) => given.trim().toUpperCase(),
              check: check(/^[A-Z]{2}$/, 'Enter two letters, such as DE.'),
            }
          : {}),
      }),
    ),
    {
      name: 'addressLines',
      label: 'Or lines instead of street and so on',
      hint: 'At most two.',
      rows: 2,
      isOptional: true,
      initial: of?.addressLines?.join('\n') ?? '',
    },
  ],
  send: ([customerId = ''], given) => {
    const addressLines = text(given.addressLines)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
    return operator.setPostalAddress(customerId, {
      postalAddress: {
        townName: text(given.townName),
        country: text(given.country),
        ...filled(given, ...PARTS.map(([part]) => part)),
        ...(addressLines.length === 0 ? {} : { addressLines }),
      },
    });
  },
};

export const REMOVE_ADDRESS: PageCommand<undefined> = {
  ...SHARED,
  label: 'Remove the address',
  about: 'Payment files have no address of the customer any more. Some banks refuse such payments.',
  done: 'The address is removed.',
  send: ([customerId = '']) => operator.setPostalAddress(customerId, { postalAddress: null }),
};
