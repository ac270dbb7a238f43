import { type Loss, lossEntry } from '../deposits/bear-loss.ts';
import { bankEntry } from '../deposits/funding.ts';
import { keepReturnsPaid, ownersOfReturns } from '../deposits/never-came-back.ts';
import type { ManualWork } from '../deposits/operate-deposit.ts';
import { HOUSE_ID, postEntries } from '../ledger/journal.ts';
import { cameBackBy, type EntryFacts, forgetReports } from '../payments/forget-reports.ts';
import { typeId } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { openItemMinor } from './bank-reconciliation-store.ts';
import { type DueDetail, signedMinor } from './due-entry-store.ts';
import { missingAmong } from './sameness-store.ts';

/** What is undone of payments that an entry reported which the bank has never booked. In the caller's transaction, which holds the entry. */

const FACTS: EntryFacts = { openMinor: openItemMinor, missingAmong };

/**
 * Of payments that people know to be otherwise nothing was reported, nor was there a charge.
 * @param bookedAs what a person had matched it as
 * @returns whether they are
 * @throws Problem invalid_state_transition when what came back of one has been paid on
 */
export async function undoPayments(
  work: ManualWork,
  reported: DueDetail,
  bookedAs: string | null,
): Promise<boolean> {
  const { connection, now } = work;
  // Deposits are locked before all that is paid.
  const entries = await keepReturnsPaid(work, await cameBackBy(connection, reported.id), 'all');
  const { forgottenMinor, standing, waitsFor, lost } = await forgetReports(
    connection,
    reported.id,
    FACTS,
    now,
    'all',
  );
  if (waitsFor.length > 0) throw tooEarly(reported, waitsFor);
  if (forgottenMinor === 0n || standing.length + lost.length > 0) return false;
  await postEntries(connection, entries, now);
  const chargeMinor =
    bookedAs === 'payout' || bookedAs === 'refund' ? forgottenMinor - signedMinor(reported) : 0n;
  if (chargeMinor !== 0n)
    await postEntries(connection, [bankEntry(reported.currency, chargeMinor, 'bank_charges')], now);
  return true;
}

/**
 * What came back by the entry has never come. What is still there is paid as it was; what has been paid on, or is about to be, is lost. The report
 * of that stays: should the bank send it back after all, it is one too many, for a person to place.
 * @returns false when nothing is lost, or people have yet to say what is true of one
 * @throws Problem invalid_state_transition when the customer who is to owe it has no part of it
 */
export async function bearLossOfReturns(work: ManualWork, reported: DueDetail, loss: Loss): Promise<boolean> {
  const { connection, now } = work;
  const returned = await cameBackBy(connection, reported.id);
  const entries = await keepReturnsPaid(work, returned, 'what is there');
  const { forgottenMinor, standing, waitsFor, lost } = await forgetReports(
    connection,
    reported.id,
    FACTS,
    now,
    'what is there',
  );
  if (waitsFor.length > 0) throw tooEarly(reported, waitsFor);
  if (lost.length === 0 || standing.length > 0) return false;
  const lostIds = lost.map(({ subjectId }) => subjectId);
  const owners = [
    ...lost.map(({ customerId }) => customerId).filter((id) => id !== HOUSE_ID),
    ...(await ownersOfReturns(connection, lostIds)),
  ];
  const lostMinor = signedMinor(reported) - forgottenMinor;
  const borne = lossEntry({ currency: reported.currency }, lostMinor, loss, owners);
  if (borne === undefined) {
    throw refuse(reported, 'The customer has no part of what came back.');
  }
  await postEntries(connection, [...entries, borne], now);
  return true;
}

function tooEarly(reported: DueDetail, waitsFor: readonly string[]): Problem {
  const entryIds = waitsFor.map((id) => typeId('ste', id));
  const why = `The payment that came back was reported by ${entryIds.join(', ')} alone, and no statement lists that either: decide on it first.`;
  return refuse(reported, why, { entryIds });
}

function refuse({ state }: DueDetail, why: string, members: object = {}): Problem {
  return new Problem('invalid_state_transition', why, {
    members: { from: state, to: 'never_booked', ...members },
  });
}
