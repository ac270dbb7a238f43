import type { PostalAddress } from '../customers/postal-address.ts';
import { type Adjustment, fitted } from './bank-text.ts';

/** Elements of PstlAdr with their texts, in the order of the schema (pain.001.001.09, PostalAddress24). */
export type FileAddress = readonly (readonly [element: string, text: string])[];

const ELEMENTS = [
  ['StrtNm', 'streetName', 70],
  ['BldgNb', 'buildingNumber', 16],
  ['PstBx', 'postBox', 16],
  ['PstCd', 'postalCode', 16],
  ['TwnNm', 'townName', 35],
  ['CtrySubDvsn', 'countrySubDivision', 35],
] as const satisfies readonly (readonly [string, keyof PostalAddress, number])[];
const LINE_MAX = 70;

/**
 * An address in the banks' character set. What has no form in it is left out, and without the town so is the rest: a
 * payment without an address is better than one with dots in it.
 * @param json a {@link PostalAddress} as it is stored, or null
 */
export function bankAddress(json: string | null): {
  readonly address: FileAddress | null;
  readonly adjustments: readonly Adjustment[];
} {
  if (json === null) return { address: null, adjustments: [] };
  const given = JSON.parse(json) as PostalAddress;
  const elements: (readonly [string, string])[] = [];
  const adjustments: Adjustment[] = [];
  const add = (element: string, field: string, text: string | undefined, lengthMax: number) => {
    if (text === undefined) return;
    const written = fitted(`postalAddress.${field}`, text, lengthMax);
    if (written.lost === 0 && written.text !== '') {
      elements.push([element, written.text]);
      adjustments.push(...written.adjustments);
    } else adjustments.push({ field: `postalAddress.${field}`, given: text, sent: '' });
  };
  for (const [element, field, lengthMax] of ELEMENTS) add(element, field, given[field], lengthMax);
  elements.push(['Ctry', given.country]);
  for (const line of given.addressLines ?? []) add('AdrLine', 'addressLines', line, LINE_MAX);
  const hasTown = elements.some(([element]) => element === 'TwnNm');
  return { address: hasTown ? elements : null, adjustments };
}
