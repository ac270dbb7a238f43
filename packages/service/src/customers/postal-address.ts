import type { PostalAddress } from '@firmquote/bank-formats';
import { inTransaction } from '../database/pool.ts';
import { notWith } from '../http/sentences.ts';
import type { FieldError } from '../problems/problem.ts';
import { validationProblem } from '../problems/problem.ts';
import { customerNotFound } from './records.ts';
import type { CustomersRoom } from './room.ts';
import { lockCustomer, readPostalAddress, writePostalAddress } from './store.ts';

const REGIONS = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
/** Codes that have a name and are no country: unions, unknown, private use. */
const NO_COUNTRY = new Set(['EU', 'EZ', 'UN', 'QO', 'XA', 'XB', 'ZZ']);

/** Adds what is wrong with an address to the errors. @param pointer of the member that holds it */
export function checkPostalAddress(
  address: PostalAddress | null | undefined,
  pointer: string,
  errors: FieldError[],
): void {
  if (address == null) return;
  const { country, addressLines, streetName, buildingNumber, postBox } = address;
  if (NO_COUNTRY.has(country) || REGIONS.of(country) === undefined) {
    errors.push({
      pointer: `${pointer}/country`,
      code: 'wrong_format',
      detail: 'must be an ISO 3166-1 alpha-2 code of a country',
    });
  }
  const isByFields = [streetName, buildingNumber, postBox].some((each) => each !== undefined);
  if (addressLines !== undefined && isByFields) {
    errors.push({
      pointer: `${pointer}/addressLines`,
      code: 'not_permitted',
      detail: `${notWith('streetName, buildingNumber or postBox')}: banks would print it twice`,
    });
  }
}

/** @throws Problem customer_not_found */
export async function showPostalAddress(
  { pool }: Pick<CustomersRoom, 'pool'>,
  customerId: string,
): Promise<PostalAddress | null> {
  const found = await readPostalAddress(pool, customerId);
  if (found === undefined) throw customerNotFound();
  return found;
}

/**
 * Replaces a customer's address, or takes it away. Payment files that exist keep what they said.
 * @throws Problem customer_not_found, validation_failed
 */
export async function setPostalAddress(
  room: Pick<CustomersRoom, 'pool'>,
  customerId: string,
  address: PostalAddress | null,
): Promise<PostalAddress | null> {
  const errors: FieldError[] = [];
  checkPostalAddress(address, '/postalAddress', errors);
  if (errors.length > 0) throw validationProblem(errors);
  await inTransaction(room.pool, async (connection) => {
    if ((await lockCustomer(connection, customerId)) === undefined) throw customerNotFound();
    await writePostalAddress(connection, customerId, address);
  });
  return address;
}
