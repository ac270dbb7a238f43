import type { PostalAddress } from '@firmquote/client/operator';
import type { Asked, Given } from './action.tsx';
import { filled, text } from './page-command.ts';
import { check } from './written-forms.ts';

/** A postal address as payment files have it, in the fields of a form. */

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

/** @param whose beside other fields, where there may be none at all: of one that there is, the service asks for town and country */
export function addressAsked(of: PostalAddress | null, whose?: string): readonly Asked[] {
  return [
    ...PARTS.map(
      ([part, label]): Asked => ({
        name: part,
        label: whose === undefined ? label : `${whose} ${label.toLowerCase()}`,
        initial: of?.[part] ?? '',
        isOptional: whose !== undefined || !REQUIRED.has(part),
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
  ];
}

/** Undefined where nothing of one is given. */
export function addressOf(given: Given): PostalAddress | undefined {
  const addressLines = text(given.addressLines)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const parts = filled(given, ...PARTS.map(([part]) => part));
  if (Object.keys(parts).length === 0 && addressLines.length === 0) return undefined;
  return {
    townName: text(given.townName),
    country: text(given.country),
    ...parts,
    ...(addressLines.length === 0 ? {} : { addressLines }),
  };
}
