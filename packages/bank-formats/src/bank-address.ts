import { type Adjustment, fitted } from './bank-text.ts';

/**
 * An address as payment files carry it (ISO 20022 PstlAdr). Banks want town and country by themselves; the rest may be
 * by fields too (structured) or in lines (hybrid), as CBPR+ has it.
 */
export interface PostalAddress {
  readonly streetName?: string;
  readonly buildingNumber?: string;
  readonly postBox?: string;
  readonly postalCode?: string;
  readonly townName: string;
  readonly countrySubDivision?: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
  readonly addressLines?: string[];
}

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
 */
export function bankAddress(given: PostalAddress | null): {
  readonly address: FileAddress | null;
  readonly adjustments: readonly Adjustment[];
} {
  if (given === null) return { address: null, adjustments: [] };
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
