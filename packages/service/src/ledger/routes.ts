import * as api from '@firmquote/api/operations/ledger';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import { oneLargeAtATime } from '../http/connections.ts';
import { fileBody } from '../http/file-body.ts';
import { readQuery, refuseFuture, refuseNoTime } from '../http/parameters.ts';
import { type PageRequest, serve, serveRaw } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { whenOver } from '../platform/when-over.ts';
import { Problem } from '../problems/problem.ts';
import { readStatement, type StatementPlace } from './account-statement.ts';
import { ACCOUNTS } from './accounts.ts';
import { checkBooks } from './check-books.ts';
import { exportJournal } from './export-journal.ts';
import { ownerName } from './hledger.ts';
import { HOUSE_ID } from './journal.ts';
import { readPairPositions } from './pair-positions.ts';
import { readPositions, readPositionsBefore } from './positions.ts';
import type { LedgerRoom } from './room.ts';
import { type EntryRow, findEntry, listEntries, ownerBalances } from './store.ts';
import { readTrialBalance } from './trial-balance.ts';

/** Each holds a connection and a snapshot for as long as it takes. */
const EXPORTS_MAX = 2; // limit: Exports of the journal at once

const FRESH = { 'Cache-Control': 'no-store' };

/** The books, for finance: accounts, balances, statements, entries, positions, and the whole journal as a file. */
export function ledgerRoutes(app: FastifyInstance, room: LedgerRoom): void {
  const { pool, clock, book } = room;
  serve(app, api.listLedgerAccounts, () => ({ body: { items: ACCOUNTS } }));
  serve(app, api.checkBooks, async () => ({ headers: FRESH, body: await checkBooks(pool, clock.now()) }));
  balanceRoutes(app, room);
  statementRoute(app, room);
  serve(
    app,
    api.getPositions,
    async ({ query: { at, customerId } }) => {
      const owner = ownerOf(customerId);
      await whenOver(clock, at);
      const body =
        at === undefined
          ? await readPositions(pool, book, clock.now(), owner)
          : await readPositionsBefore(pool, at, owner);
      return { headers: FRESH, body };
    },
    { judge: ({ at }, refuse) => refuseFuture(clock, 'at', at, refuse) },
  );
  serve(app, api.getPairPositions, async () => ({
    headers: FRESH,
    body: await readPairPositions(pool, book, clock.now()),
  }));
  entryRoutes(app, room);
  exportRoute(app, room);
}

/** The UUID of an owner, where "house" is what belongs to no customer. */
function ownerOf(text: string | undefined): string | undefined {
  return text === 'house' ? HOUSE_ID : parseTypeId('cus', text ?? '');
}

/** Balances of now or of before: in total, and of whom. */
function balanceRoutes(app: FastifyInstance, { pool, clock }: LedgerRoom): void {
  serve(
    app,
    api.getTrialBalance,
    async ({ query: { at, customerId, currency } }) => {
      const filter = { customerId: ownerOf(customerId), currency };
      await whenOver(clock, at);
      return { headers: FRESH, body: await readTrialBalance(pool, filter, at, clock.now()) };
    },
    { judge: ({ at }, refuse) => refuseFuture(clock, 'at', at, refuse) },
  );
  serve(
    app,
    api.listAccountBalances,
    async ({ params: { account }, query: { currency, at }, page }) => {
      await whenOver(clock, at);
      const rows = await ownerBalances(pool, { account, currency }, at, page.afterId, page.rows);
      const view = ({ customerId, balance }: (typeof rows)[number]) => ({
        customerId: ownerName(customerId),
        ...onItsSide(balance, currency),
      });
      return { headers: FRESH, body: page.of(rows, ({ customerId }) => [customerId], view) };
    },
    { judge: ({ at }, refuse) => refuseFuture(clock, 'at', at, refuse) },
  );
}

/** Debits are positive. */
function onItsSide(amount: bigint, currency: string) {
  const text = formatAmount(amount < 0n ? -amount : amount, knownCurrency(currency));
  return { debit: amount > 0n ? text : null, credit: amount < 0n ? text : null };
}

function statementRoute(app: FastifyInstance, { pool, clock }: LedgerRoom): void {
  serve(
    app,
    api.listAccountPostings,
    async ({ params: { account }, query, page }) => {
      const { customerId, currency, from = 0, to } = query;
      const key = { account, customerId: ownerOf(customerId) ?? '', currency };
      const after = placeAfter(page);
      await whenOver(clock, to);
      const statement = await readStatement(pool, key, { from, to }, after, page.rows - 1);
      const { openingBalance, closingBalance } = statement;
      const lines = page.of(
        statement.lines,
        ({ place }) => [place.entryId, place.line, place.balanceMinor.toString()],
        ({ view }) => view,
      );
      return {
        headers: FRESH,
        body: { account, customerId, currency, openingBalance, closingBalance, ...lines },
      };
    },
    { judge: refuseNoTime },
  );
}

/** The cursor is signed, so the balance in it is one that this service gave. */
function placeAfter(page: PageRequest): StatementPlace | undefined {
  const place = page.place('uuid', 'number', 'integer');
  return place && { entryId: place[0], line: place[1], balanceMinor: place[2] };
}

function entryRoutes(app: FastifyInstance, { pool }: LedgerRoom): void {
  serve(
    app,
    api.listJournalEntries,
    async ({ query, page }) => {
      const filter = { ...query, customerId: ownerOf(query.customerId) };
      const rows = await listEntries(pool, filter, page.afterId, page.rows);
      return { body: page.of(rows, (row) => [row.id], entryView) };
    },
    {
      judge(query, refuse) {
        if (query.customerId === undefined) {
          // The journal is indexed by owner; without one, a rare id would be looked for in all of it.
          if (query.transactionId !== undefined) refuse('transactionId', 'required', 'needs customerId');
          if (query.depositId !== undefined) refuse('depositId', 'required', 'needs customerId');
          if (query.withdrawalId !== undefined) refuse('withdrawalId', 'required', 'needs customerId');
        }
        refuseNoTime(query, refuse);
      },
    },
  );
  serve(app, api.getJournalEntry, async ({ params: { entryId } }) => {
    const entry = await findEntry(pool, entryId);
    if (entry === undefined)
      throw new Problem('journal_entry_not_found', 'There is no journal entry with this id.');
    return { body: entryView(entry) };
  });
}

function entryView(entry: EntryRow): api.JournalEntry {
  const at = isoInstant(entry.at);
  return {
    entryId: typeId('je', entry.id),
    customerId: ownerName(entry.customerId),
    kind: entry.kind,
    at,
    date: at.slice(0, 10),
    transactionId: entry.transactionId === null ? null : typeId('txn', entry.transactionId),
    depositId: entry.depositId === null ? null : typeId('dep', entry.depositId),
    withdrawalId: entry.withdrawalId === null ? null : typeId('wdr', entry.withdrawalId),
    postings: entry.postings.map(({ account, currency, amount }) => ({
      account,
      currency,
      ...onItsSide(amount, currency),
    })),
  };
}

/** The whole journal as a file, streamed while it is read. */
export function exportRoute(app: FastifyInstance, { pool, clock }: LedgerRoom): void {
  let running = 0;
  serveRaw(
    app,
    api.exportJournal,
    async (request, reply) => {
      readQuery(api.exportJournal, request.query);
      if (running >= EXPORTS_MAX) {
        throw new Problem('overloaded', `${EXPORTS_MAX} exports are already running.`, {
          headers: { 'Retry-After': '10' },
        });
      }
      running++;
      const at = clock.now();
      const stream = fileBody(request, exportJournal(pool, at));
      // `close` comes once, after the end and when the reader went away; the generator then lets the connection go.
      stream.once('close', () => running--);
      const name = `firmquote-${isoInstant(at).slice(0, 10)}.journal`;
      return reply
        .header('Content-Type', 'text/plain; charset=utf-8')
        .header('Content-Disposition', `attachment; filename="${name}"`)
        .headers(FRESH)
        .send(stream);
    },
    { onRequest: oneLargeAtATime },
  );
}
