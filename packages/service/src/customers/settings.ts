import type { CustomerSettings } from './profile.ts';

/** Settings as given, in the form in which they are kept: validities ascend. */
export function readSettings(given: Partial<CustomerSettings>): Partial<CustomerSettings> {
  const { permittedValidities } = given;
  if (permittedValidities === undefined) return { ...given };
  return { ...given, permittedValidities: [...permittedValidities].sort((a, b) => a - b) };
}
