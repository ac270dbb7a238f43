import type { Connection } from '../database/pool.ts';
import { closeEntryException, openExceptions, reportException } from '../deposits/exceptions.ts';
import { newUuid } from '../platform/ids.ts';
import { completed, contradictions, differences } from './complete-entry.ts';
import { type Deduplicated, deduplicate, type SplitSum } from './deduplicate-entries.ts';
import { type Fingerprint, fingerprintOf, type KnownDetail, referencesOf } from './fingerprint.ts';
import {
  type DetailKeys,
  findKnown,
  lockDetails,
  numberedStatements,
  reportsOf,
  type StoredDetail,
  statementFacts,
} from './known-store.ts';
import {
  type CompletedRow,
  closeSameEntry,
  markSplit,
  repoint,
  type SameRow,
  writeCompleted,
  writeDoubt,
  writeNeverBooked,
  writeSame,
} from './sameness-store.ts';
import { areChained, areDisjoint, areTwins, numbersBetween, type StatementFacts } from './statement-proof.ts';
import { type DoubtVerdict, isWhollySame, type NewEntry, type SameVerdict } from './statement-store.ts';

/** Why an exception is open about a payment that a later report contradicts. */
const REPORTED_DIFFERENTLY = 'told_differently';

/** Details that were known, and those by which a statement lists them. */
export interface Listed {
  readonly id: string;
  readonly by: string;
  /** The sum that carries their money: it is listed once all of its payments are. */
  readonly sumId?: string | null;
}

/** Entries that are looked up and written at once. */
export const BATCH = 500;

/**
 * Decides which payments of one statement were reported before. While the statement is read it holds back only entries that
 * share a key with a known one; what its balances prove is known at its end, and then those are decided at once and written.
 */
export class StatementSameness {
  readonly #connection: Connection;
  readonly #account: string;
  readonly #statementId: string;
  /** Keys that were looked up, each once, and those under which something was found. */
  readonly #asked = new Set<string>();
  readonly #found = new Set<string>();
  readonly #known = new Map<string, StoredDetail>();
  readonly #kept: NewEntry[] = [];

  constructor(connection: Connection, account: string, statementId: string) {
    this.#connection = connection;
    this.#account = account;
    this.#statementId = statementId;
  }

  /** @returns the entries without known payments, which can be written. The others are held back to the end of the statement. */
  async add(entries: readonly NewEntry[]): Promise<NewEntry[]> {
    const reported = entries.map(fingerprintsOf);
    await this.#look(reported.flat());
    if (this.#found.size === 0) return [...entries];
    const isKnown = (each: Fingerprint) => keysOf(each).some((key) => this.#found.has(key));
    const [fresh, kept]: [NewEntry[], NewEntry[]] = [[], []];
    for (const [index, entry] of entries.entries())
      (reported[index]?.some(isKnown) ? kept : fresh).push(entry);
    this.#kept.push(...kept);
    return fresh;
  }

  async #look(reported: readonly Fingerprint[]): Promise<void> {
    const keys = newKeys(reported, this.#asked);
    for (const stored of await findKnown(this.#connection, this.#account, this.#statementId, keys)) {
      this.#known.set(stored.fingerprint.id, stored);
      for (const key of keysOf(stored.fingerprint)) this.#found.add(key);
    }
  }

  /**
   * Decides, and writes what follows: known details are completed by those that repeat them; contradictions become
   * exceptions.
   * @param write writes entries that were held back
   * @returns how many entries were reported before as a whole, and the known payments that the statement lists
   */
  async settle(
    facts: StatementFacts,
    now: number,
    write: (entries: readonly NewEntry[]) => Promise<void>,
  ): Promise<{ same: number; listed: readonly Listed[] }> {
    if (this.#kept.length === 0) return { same: 0, listed: [] };
    const decision = await this.#decide(this.#kept.flatMap(fingerprintsOf), facts);
    const kept = this.#kept.map((entry) => ({
      ...entry,
      details: entry.details.map((each) => ({ ...each, verdict: decision.verdicts.get(each.id) })),
    }));
    for (let from = 0; from < kept.length; from += BATCH) await write(kept.slice(from, from + BATCH));
    return { same: kept.filter(isWhollySame).length, listed: await this.#follow(decision, now) };
  }

  /**
   * The same for a statement that is written already, and whose account has another name from now on.
   * @returns what it lists
   */
  async deduplicateWritten(
    reported: readonly Fingerprint[],
    facts: StatementFacts,
    now: number,
  ): Promise<readonly Listed[]> {
    for (let from = 0; from < reported.length; from += BATCH) {
      await this.#look(reported.slice(from, from + BATCH));
    }
    if (this.#known.size === 0) return [];
    const decision = await this.#decide(reported, facts);
    const connection = this.#connection;
    for (const [id, verdict] of decision.verdicts) {
      if ('maybe' in verdict) await writeDoubt(connection, id, verdict);
      else {
        await writeSame(connection, [{ id, ...verdict }]);
        await repoint(connection, id, verdict);
      }
    }
    const entryIds = reported.flatMap(({ id, entryId }) => (decision.verdicts.has(id) ? entryId : []));
    for (const entryId of new Set(entryIds)) await closeSameEntry(connection, facts.fileId, entryId);
    return this.#follow(decision, now);
  }

  async #decide(reported: readonly Fingerprint[], facts: StatementFacts): Promise<Decision> {
    const known = await this.#candidates(facts);
    const decided = deduplicate(reported, known, facts.kind === 'statement');
    // What is due may have become a deposit since it was looked up.
    const held = await lockDetails(
      this.#connection,
      decided.splits.map((each) => each.known.id),
    );
    const sums = new Map(held.map((each) => [each.fingerprint.id, each]));
    const splits = decided.splits.map((each) => splitOf(each, sums.get(each.known.id)));
    return { ...decided, splits, known, verdicts: verdictsOf(decided, splits) };
  }

  /** @returns the known payments that the statement lists */
  async #follow({ same, doubts, splits, known }: Decision, now: number): Promise<readonly Listed[]> {
    const connection = this.#connection;
    for (const { sum, neverBooked } of splits) {
      if (sum !== undefined) await writeSame(connection, [sum]);
      if (neverBooked !== undefined) await writeNeverBooked(connection, neverBooked, 'none');
      const id = sum?.id ?? neverBooked;
      const closing = { actor: 'bank_feed', resolution: 'split', note: null };
      if (id !== undefined) await closeEntryException(connection, id, closing, now);
    }
    await markSplit(
      connection,
      splits.flatMap(({ waiting }) => waiting ?? []),
    );
    await writeCompleted(connection, same.flatMap(completedRow));
    for (const { reported, reason } of doubts) await reportDoubt(connection, reported, reason, now);
    await reportContradictions(connection, same, now);
    return [
      ...same.map(({ known, reported }) => listedBy(known, reported)),
      ...partsOfSums(same, known),
      ...splits.flatMap((each) => each.listed ?? []),
    ];
  }

  /** Known payments that are not proved to be different. */
  async #candidates(facts: StatementFacts): Promise<KnownDetail[]> {
    const stored = withoutRepeatedParts([...this.#known.values()]);
    const others = await reportsOf(
      this.#connection,
      stored.map((each) => each.fingerprint.id),
    );
    const reports = Map.groupBy(others, (each) => each.detailId);
    const ids = new Set([...stored, ...others].map((each) => each.statementId));
    const statements = await statementFacts(this.#connection, [...ids]);
    const chained = await this.#chained([...statements.values()], facts);
    return stored.flatMap(({ fingerprint, statementId, sumId, repeats }) => {
      const of = [statementId, ...(reports.get(fingerprint.id) ?? []).map((each) => each.statementId)];
      const reported = of.flatMap((id) => statements.get(id) ?? []);
      if (reported.some((each) => each.id === facts.id || areDisjoint(each, facts) || chained.has(each)))
        return [];
      const isInStatement = reported.some((each) => each.kind === 'statement');
      const isInTwin = reported.some((each) => areTwins(each, facts));
      return [{ ...fingerprint, sumId, repeats, isInStatement, isInTwin }];
    });
  }

  /** Those of the statements from which others lead to this one, or from this one to them. */
  async #chained(statements: readonly StatementFacts[], facts: StatementFacts) {
    const chained = new Set<StatementFacts>();
    for (const each of statements) {
      const numbers = numbersBetween(each, facts);
      if (numbers === undefined) continue;
      const [from = null, to = null] = [each.to, facts.to].sort();
      const days = { currency: facts.currency, from, to };
      const between = await numberedStatements(this.#connection, this.#account, days, numbers);
      if (areChained(each, facts, between)) chained.add(each);
    }
    return chained;
  }
}

interface DecidedSplit {
  readonly listed?: Listed;
  /** The sum, when it gives way now; its id, when the bank has booked its payments one by one; or when its deposit is to be divided first. */
  readonly sum?: SameRow;
  readonly neverBooked?: string;
  readonly waiting?: string | undefined;
  readonly parts: readonly { readonly id: string; readonly verdict: SameVerdict }[];
}

/** What was decided of a statement, and the known payments that it was held against. */
interface Decision extends Pick<Deduplicated, 'same' | 'doubts'> {
  readonly splits: readonly DecidedSplit[];
  readonly known: readonly KnownDetail[];
  /** By the ids of details. */
  readonly verdicts: ReadonlyMap<string, SameVerdict | DoubtVerdict>;
}

/** A sum gives way to its payments: at once where nothing was booked on it, else when that can be taken back. */
function splitOf({ known, details }: SplitSum, stored: StoredDetail | undefined): DecidedSplit {
  const [first] = details;
  if (stored === undefined || first === undefined) return { parts: [] };
  const listed = { id: known.id, by: first.id };
  if (isNotBooked(stored)) {
    // Payments by themselves are listed by themselves.
    if (first.payments === 1) return { parts: [], neverBooked: known.id };
    return {
      listed,
      parts: [],
      sum: { id: known.id, sameAs: first.id, reason: 'sum_of_details', differs: [] },
    };
  }
  const verdict = { sameAs: known.id, reason: 'part_of_sum', differs: [] } as const;
  const parts = details.map(({ id }) => ({ id, verdict }));
  return { listed, parts, waiting: stored.depositState === 'booked' ? known.id : undefined };
}

/** The verdicts on details, by their ids. */
function verdictsOf(
  { same, doubts }: Deduplicated,
  splits: readonly DecidedSplit[],
): ReadonlyMap<string, SameVerdict | DoubtVerdict> {
  const verdicts = new Map<string, SameVerdict | DoubtVerdict>();
  for (const { reported, known, reason } of same) {
    const differs = reason === 'sum_of_details' ? [] : differences(known, reported);
    const what =
      known.sumId === null ? { sameAs: known.repeats ?? known.id } : { sameAs: known.sumId, part: known.id };
    verdicts.set(reported.id, { ...what, reason, differs });
  }
  for (const { id, verdict } of splits.flatMap((each) => each.parts)) verdicts.set(id, verdict);
  for (const { reported, known, reason } of doubts) verdicts.set(reported.id, { maybe: known.id, reason });
  return verdicts;
}

function fingerprintsOf({ id: entryId, entry, details: given }: NewEntry): Fingerprint[] {
  const payments = entry.details.length;
  return entry.details.map((detail, index) => {
    const id = given[index]?.id;
    if (id === undefined) throw new Error('a payment of an entry has no id');
    return fingerprintOf(entry, detail, { id, entryId, number: index + 1, payments });
  });
}

function isNotBooked({ depositState, paymentState }: StoredDetail): boolean {
  return (
    depositState !== 'booked' &&
    ['none', 'due', 'unknown_account', 'mismatch', 'unknown'].includes(paymentState)
  );
}

/**
 * Before their sum was divided several messages may have listed its payments. Those of the first stand for them: else a second payment
 * that looks the same would be taken for one of another list.
 */
function withoutRepeatedParts(stored: readonly StoredDetail[]): StoredDetail[] {
  const lists = new Map<string, string>();
  const inOrder = stored.toSorted((a, b) => (a.fingerprint.id < b.fingerprint.id ? -1 : 1));
  return inOrder.filter(({ sumId, statementId, fingerprint: { entryId, payments } }) => {
    if (sumId === null) return true;
    const list = payments > 1 ? entryId : statementId;
    if (!lists.has(sumId)) lists.set(sumId, list);
    return lists.get(sumId) === list;
  });
}

/** What carries the money of a payment that is known is listed, or, where that is a sum, the payment. */
function listedBy({ id, sumId, repeats }: KnownDetail, by: Fingerprint): Listed {
  return { id: repeats ?? id, by: by.id, sumId };
}

/** A sum that is reported now lists every payment of the entry that was known. */
function partsOfSums(same: Deduplicated['same'], known: readonly KnownDetail[]): Listed[] {
  const sums = new Map(
    same.flatMap((each) =>
      each.reason === 'sum_of_details' ? [[each.known.entryId, each.reported.id] as const] : [],
    ),
  );
  return known.flatMap(({ id, entryId, repeats }) => {
    const by = sums.get(entryId);
    return by === undefined ? [] : [{ id: repeats ?? id, by }];
  });
}

function completedRow({ reported, known, reason }: Deduplicated['same'][number]): CompletedRow[] {
  if (reason === 'sum_of_details') return [];
  const { detail, fields, isMatchedBy } = completed(known.detail, reported.detail);
  const bankReference = known.payments === 1 && reported.payments === 1 ? reported.bankReference : null;
  const isNamed = known.bankReference === null && bankReference !== null;
  if (fields.length === 0 && !isNamed) return [];
  const all = isNamed ? [...fields, 'bankReference'] : fields;
  return [
    {
      id: known.id,
      detail,
      bankReference: isNamed ? bankReference : null,
      fields: all,
      from: reported.id,
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

/** Two messages report one payment and cannot both be right: the first one stands until an operator decides. */
async function reportContradictions(
  connection: Connection,
  same: Deduplicated['same'],
  now: number,
): Promise<void> {
  const reported = same.filter(
    (each) => each.reason !== 'sum_of_details' && contradictions(each.known, each.reported).length > 0,
  );
  await openExceptions(
    connection,
    reported.map(({ reported: { id: entryId } }) => ({
      ...{ id: newUuid(now), type: 'duplicate', reason: REPORTED_DIFFERENTLY, entryId, actor: 'bank_feed' },
      ...{ depositId: null, customerId: null, transactionId: null, assignee: null },
    })),
    now,
  );
}

/** The keys under which a payment may be known; payments are compared only if they share one. */
function keysOf(payment: Fingerprint): string[] {
  const { uetr, endToEndId, amountMinor, bookingDate, entryMinor, entryReference } = payment;
  const block = blockOf(payment);
  const keys = [`d ${bookingDate} ${amountMinor}`];
  if (entryMinor !== amountMinor) keys.push(`d ${bookingDate} ${entryMinor}`);
  if (uetr !== null) keys.push(`u ${uetr}`);
  if (endToEndId !== null) keys.push(`e ${endToEndId} ${amountMinor}`);
  if (block !== undefined) keys.push(`b ${block}`);
  for (const each of new Set([...referencesOf(payment), entryReference ?? '']))
    if (each !== '') keys.push(`r ${each}`);
  return keys;
}

/** Of an entry of one payment: of a batch all were ordered together. */
function blockOf({ payments, detail }: Fingerprint): string | undefined {
  return payments === 1 ? (detail.paymentInformationId ?? undefined) : undefined;
}

/** The keys of these payments that were not looked up yet. */
function newKeys(reported: readonly Fingerprint[], asked: Set<string>): DetailKeys {
  const uetrs: string[] = [];
  const references: string[] = [];
  const blocks: string[] = [];
  const endToEnd: DetailKeys['endToEnd'][number][] = [];
  const days: DetailKeys['days'][number][] = [];
  const isNew = (key: string) => asked.size < asked.add(key).size;
  let [from, to] = [reported[0]?.bookingDate ?? '', reported[0]?.bookingDate ?? ''];
  for (const payment of reported) {
    const { uetr, endToEndId, amountMinor, bookingDate: day, entryMinor, entryReference } = payment;
    if (uetr !== null && isNew(`u ${uetr}`)) uetrs.push(uetr);
    for (const each of new Set([...referencesOf(payment), entryReference ?? ''])) {
      // A reference is looked up around the days of its batch.
      if (each !== '' && isNew(`r ${each} ${day}`)) references.push(each);
    }
    const block = blockOf(payment);
    if (block !== undefined && isNew(`b ${block} ${day}`)) blocks.push(block);
    if (endToEndId !== null && isNew(`e ${endToEndId} ${amountMinor} ${day}`))
      endToEnd.push({ id: endToEndId, amountMinor });
    for (const minor of new Set([amountMinor, entryMinor])) {
      if (isNew(`d ${day} ${minor}`)) days.push({ day, amountMinor: minor });
    }
    if (day < from) from = day;
    if (day > to) to = day;
  }
  return { uetrs, references, blocks, endToEnd, days, from, to };
}
