import { daysBetween } from '@firmquote/fx';
import { differ, firstOf, indexOf } from './compare-entries.ts';
import { type Fingerprint, type KnownEntry, referencesOf } from './fingerprint.ts';

/** Why nobody but a person can say whether it is. */
export type DoubtReason =
  | 'same_uetr_other_amount'
  | 'same_reference_other_amount'
  | 'same_reference_other_date'
  | 'same_reference_other_id';

export interface Doubt {
  readonly told: Fingerprint;
  readonly known: KnownEntry;
  readonly reason: DoubtReason;
}

/** A bank may use a reference again. Within this time, with the same amount, nobody can know whether it has. */
export const REFERENCE_DAYS = 7; // limit: Within so many days the same bank reference on another day is a question

/**
 * New entries that share a mark with a known one and contradict it otherwise.
 * @param known entries that no entry of the statement is
 */
export function doubtsOf(open: Iterable<Fingerprint>, known: readonly KnownEntry[]): Doubt[] {
  const rest = known.filter((each) => each.status === 'booked');
  const keys = (names: readonly string[], { direction, currency }: Fingerprint) =>
    names.map((each) => `${each} ${direction} ${currency}`);
  const byUetr = indexOf(rest, (each) => keys(each.uetr === null ? [] : [each.uetr], each));
  const byReference = indexOf(rest, (each) => keys(referencesOf(each), each));
  const doubts: Doubt[] = [];
  for (const told of rest.length === 0 ? [] : open) {
    if (told.status !== 'booked' || told.amountMinor === 0n) continue;
    const [uetr = ''] = keys(told.uetr === null ? [] : [told.uetr], told);
    const twin = byUetr.get(uetr)?.[0];
    if (twin !== undefined) {
      doubts.push({ told, known: twin, reason: 'same_uetr_other_amount' });
      continue;
    }
    for (const key of keys(referencesOf(told), told)) {
      const found = firstOf(byReference.get(key), NOBODY, (each) => clashOf(told, each) !== undefined);
      const reason = found === undefined ? undefined : clashOf(told, found);
      if (found === undefined || reason === undefined) continue;
      doubts.push({ told, known: found, reason });
      break;
    }
  }
  return doubts;
}

const NOBODY: ReadonlySet<KnownEntry> = new Set();

/** The bank's references are the same. Other identifiers tell apart what has nothing else in common. */
function clashOf(told: Fingerprint, known: KnownEntry): DoubtReason | undefined {
  const hasOtherId = differ(told.uetr, known.uetr) || differ(told.endToEndId, known.endToEndId);
  const isSameDay = told.bookingDate === known.bookingDate;
  if (told.amountMinor !== known.amountMinor) {
    return isSameDay && !hasOtherId ? 'same_reference_other_amount' : undefined;
  }
  if (isSameDay) return differ(told.uetr, known.uetr) ? undefined : 'same_reference_other_id';
  const days = Math.abs(daysBetween(told.bookingDate, known.bookingDate));
  return hasOtherId || days > REFERENCE_DAYS ? undefined : 'same_reference_other_date';
}
