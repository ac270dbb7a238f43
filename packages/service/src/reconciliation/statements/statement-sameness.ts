import type { Connection } from '../../database/pool.ts';
import { closeEntryException } from '../exception-store.ts';
import { reportException } from '../exceptions.ts';
import { completed, differences } from './complete-entry.ts';
import { type Deduplicated, deduplicate, type SplitSum } from './deduplicate-entries.ts';
import { type Fingerprint, type KnownEntry, referencesOf } from './fingerprint.ts';
import { type EntryKeys, findKnown, type StoredEntry, statementFacts, tellingsOf } from './known-store.ts';
import {
  type CompletedRow,
  closeSameBookings,
  markSplit,
  type SameRow,
  writeCompleted,
  writeDoubts,
  writeSame,
} from './sameness-store.ts';
import { areDisjoint, areTwins, type StatementFacts } from './statement-proof.ts';

/** An entry of a statement, and the one that carries the money of its payment. */
export interface Listed {
  readonly id: string;
  readonly by: string;
}

/**
 * Finds out which entries of one statement were told of before. While the statement is read it remembers only those that
 * share a mark with a known entry; what its balances prove is known at its end, and then all are decided at once.
 */
export class StatementSameness {
  readonly #connection: Connection;
  readonly #account: string;
  readonly #statementId: string;
  /** Keys that were looked up, each once, and those under which something was found. */
  readonly #asked = new Set<string>();
  readonly #found = new Set<string>();
  readonly #known = new Map<string, StoredEntry>();
  readonly #told: Fingerprint[] = [];

  constructor(connection: Connection, account: string, statementId: string) {
    this.#connection = connection;
    this.#account = account;
    this.#statementId = statementId;
  }

  /** @param told payments of whole bookings */
  async add(told: readonly Fingerprint[]): Promise<void> {
    const keys = newKeys(told, this.#asked);
    for (const stored of await findKnown(this.#connection, this.#account, this.#statementId, keys)) {
      this.#known.set(stored.fingerprint.id, stored);
      for (const key of keysOf(stored.fingerprint)) this.#found.add(key);
    }
    for (const [, payments] of Map.groupBy(told, (each) => each.bookingId)) {
      if (payments.some((each) => keysOf(each).some((key) => this.#found.has(key))))
        this.#told.push(...payments);
    }
  }

  /**
   * Decides, and writes what follows: entries that were told of before are the known ones, which say more from now on;
   * those that contradict are work for people.
   * @returns how many bookings were told of before as a whole, and the known entries that the statement lists
   */
  async settle(facts: StatementFacts, now: number): Promise<{ same: number; listed: readonly Listed[] }> {
    if (this.#told.length === 0) return { same: 0, listed: [] };
    const known = await this.#candidates(facts);
    const { same, doubts, splits } = deduplicate(this.#told, known, facts.kind === 'statement');
    const connection = this.#connection;
    const listed: Listed[] = same.map((each) => ({ id: each.known.id, by: each.told.id }));
    await writeSame(
      connection,
      same.map(({ told, known: first, reason }) => ({
        id: told.id,
        sameAs: first.id,
        reason,
        differs: reason === 'sum_of_details' ? [] : differences(first, told),
      })),
    );
    listed.push(...partsOfSums(same, known));
    listed.push(...(await this.#split(splits, now)));
    await writeCompleted(connection, same.flatMap(completedRow));
    await writeDoubts(
      connection,
      doubts.map(({ told, known: first, reason }) => ({ id: told.id, maybe: first.id, reason })),
    );
    for (const { told, reason } of doubts) await reportDoubt(connection, told, reason, now);
    const bookings = [...new Set(this.#told.map((each) => each.bookingId))];
    return { same: await closeSameBookings(connection, facts.fileId, bookings), listed };
  }

  /** What is known and not proved to be something else. */
  async #candidates(facts: StatementFacts): Promise<KnownEntry[]> {
    const stored = [...this.#known.values()];
    const others = await tellingsOf(
      this.#connection,
      stored.map((each) => each.fingerprint.id),
    );
    const tellings = Map.groupBy(others, (each) => each.entryId);
    const ids = new Set([...stored, ...others].map((each) => each.statementId));
    const statements = await statementFacts(this.#connection, [...ids]);
    return stored.flatMap(({ fingerprint, statementId }) => {
      const of = [statementId, ...(tellings.get(fingerprint.id) ?? []).map((each) => each.statementId)];
      const told = of.flatMap((id) => statements.get(id) ?? []);
      if (told.some((each) => each.id === facts.id || areDisjoint(each, facts))) return [];
      const isInStatement = told.some((each) => each.kind === 'statement');
      return [{ ...fingerprint, isInStatement, isInTwin: told.some((each) => areTwins(each, facts)) }];
    });
  }

  /** A sum gives way to its payments: at once where nothing was booked on it, else when that can be taken back. */
  async #split(splits: readonly SplitSum[], now: number): Promise<Listed[]> {
    const rows: SameRow[] = [];
    const waiting: string[] = [];
    const listed: Listed[] = [];
    for (const { known, details } of splits) {
      const stored = this.#known.get(known.id);
      const [first] = details;
      if (stored === undefined || first === undefined) continue;
      listed.push({ id: known.id, by: first.id });
      if (isNotBooked(stored)) {
        rows.push({ id: known.id, sameAs: first.id, reason: 'sum_of_details', differs: [] });
        const closing = { actor: 'bank_feed', resolution: 'split', note: null };
        await closeEntryException(this.#connection, known.id, closing, now);
      } else {
        for (const { id } of details) rows.push({ id, sameAs: known.id, reason: 'part_of_sum', differs: [] });
        if (stored.depositState === 'booked') waiting.push(known.id);
      }
    }
    await writeSame(this.#connection, rows);
    await markSplit(this.#connection, waiting);
    return listed;
  }
}

function isNotBooked({ depositState, paymentState }: StoredEntry): boolean {
  return (
    depositState !== 'booked' &&
    ['none', 'due', 'unknown_account', 'mismatch', 'unknown'].includes(paymentState)
  );
}

/** A sum that is told of now lists every payment of the booking that was known. */
function partsOfSums(same: Deduplicated['same'], known: readonly KnownEntry[]): Listed[] {
  const sums = new Map(
    same.flatMap((each) =>
      each.reason === 'sum_of_details' ? [[each.known.bookingId, each.told.id] as const] : [],
    ),
  );
  return known.flatMap(({ id, bookingId }) => {
    const by = sums.get(bookingId);
    return by === undefined ? [] : [{ id, by }];
  });
}

function completedRow({ told, known, reason }: Deduplicated['same'][number]): CompletedRow[] {
  if (reason === 'sum_of_details') return [];
  const { detail, fields, isMatchedBy } = completed(known.detail, told.detail);
  const bankReference = known.payments === 1 && told.payments === 1 ? told.bankReference : null;
  const isNamed = known.bankReference === null && bankReference !== null;
  if (fields.length === 0 && !isNamed) return [];
  const all = isNamed ? [...fields, 'bankReference'] : fields;
  return [
    {
      id: known.id,
      detail,
      bankReference: isNamed ? bankReference : null,
      fields: all,
      from: told.id,
      isMatchedBy,
    },
  ];
}

async function reportDoubt(
  connection: Connection,
  { id }: Fingerprint,
  reason: string,
  now: number,
): Promise<void> {
  const about = { customerId: null, transactionId: null, entryId: id, actor: 'bank_feed' };
  await reportException(connection, { type: 'duplicate', reason, ...about }, now);
}

/** Under what an entry may be known: what both have in common before anything else is compared. */
function keysOf(entry: Fingerprint): string[] {
  const { uetr, endToEndId, amountMinor, bookingDate, bookingMinor, bookingReference } = entry;
  const keys = [`d ${bookingDate} ${amountMinor}`];
  if (bookingMinor !== amountMinor) keys.push(`d ${bookingDate} ${bookingMinor}`);
  if (uetr !== null) keys.push(`u ${uetr}`);
  if (endToEndId !== null) keys.push(`e ${endToEndId} ${amountMinor}`);
  for (const each of new Set([...referencesOf(entry), bookingReference ?? '']))
    if (each !== '') keys.push(`r ${each}`);
  return keys;
}

/** The keys of these entries that were not looked up yet. */
function newKeys(told: readonly Fingerprint[], asked: Set<string>): EntryKeys {
  const uetrs: string[] = [];
  const references: string[] = [];
  const endToEnd: EntryKeys['endToEnd'][number][] = [];
  const days: EntryKeys['days'][number][] = [];
  const isNew = (key: string) => asked.size < asked.add(key).size;
  let [from, to] = [told[0]?.bookingDate ?? '', told[0]?.bookingDate ?? ''];
  for (const entry of told) {
    const { uetr, endToEndId, amountMinor, bookingDate: day, bookingMinor, bookingReference } = entry;
    if (uetr !== null && isNew(`u ${uetr}`)) uetrs.push(uetr);
    for (const each of new Set([...referencesOf(entry), bookingReference ?? ''])) {
      // A reference is looked up around the days of its batch.
      if (each !== '' && isNew(`r ${each} ${day}`)) references.push(each);
    }
    if (endToEndId !== null && isNew(`e ${endToEndId} ${amountMinor} ${day}`))
      endToEnd.push({ id: endToEndId, amountMinor });
    for (const minor of new Set([amountMinor, bookingMinor])) {
      if (isNew(`d ${day} ${minor}`)) days.push({ day, amountMinor: minor });
    }
    if (day < from) from = day;
    if (day > to) to = day;
  }
  return { uetrs, references, endToEnd, days, from, to };
}
