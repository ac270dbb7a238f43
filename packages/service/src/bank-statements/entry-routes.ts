import { listAccountStatements } from '@firmquote/api/operations/bank-statements';
import * as api from '@firmquote/api/operations/statement-entries';
import type { FastifyInstance } from 'fastify';
import { proposed } from '../approvals/view.ts';
import type { Queryable } from '../database/pool.ts';
import { type Call, type Result, serve } from '../http/serve.ts';
import { validationProblem } from '../problems/problem.ts';
import { decideEntry, type EntryDecision, type EntryOutcome, entryNotFound } from './command-entry.ts';
import { type AccountDays, detailsOfAccount, findDetail, statementsOfAccount } from './listing-store.ts';
import type { StatementsRoom } from './room.ts';
import { entryView, statementView } from './view.ts';

const DAY_MS = 86_400_000;

/** What banks have reported of an account, day by day and across files; and what operators decide about entries. */
export function entryRoutes(app: FastifyInstance, room: StatementsRoom): void {
  const { pool } = room;
  serve(
    app,
    listAccountStatements,
    async ({ query, page }) => {
      const rows = await statementsOfAccount(pool, daysOf(query), page.place('date', 'uuid'), page.rows);
      return { body: page.of(rows, (row) => [row.period_to ?? '', row.id], statementView) };
    },
    { judge: judgeDays },
  );
  serve(
    app,
    api.listAccountEntries,
    async ({ query, page }) => {
      const filter = { ...query, ...daysOf(query) };
      const rows = await detailsOfAccount(pool, filter, page.place('date', 'uuid'), page.rows);
      return { body: page.of(rows, (row) => [row.booking_date, row.id], entryView) };
    },
    { judge: judgeDays },
  );
  serve(app, api.getStatementEntry, async ({ params }) => shownEntry(pool, params.entryId));
  serve(app, api.bookStatementEntry, (call) => decide(room, call, bookRequest(call.body)));
  serve(app, api.matchStatementEntry, (call) => decide(room, call, matchRequest(call.body)));
  serve(app, api.markStatementEntryDistinct, (call) => decide(room, call, { is: 'another' }));
  serve(app, api.markStatementEntryDuplicate, (call) => decide(room, call, { is: 'same', as: call.body.as }));
  serve(app, api.markStatementEntryNeverBooked, (call) => decide(room, call, neverBookedRequest(call.body)));
}

function judgeDays(
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
  refuse: (name: string, code: string, detail: string) => void,
): void {
  if (from === undefined || to === undefined) return;
  const span = Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`);
  if (span > api.ACCOUNT_DAYS_MAX * DAY_MS) {
    refuse('to', 'out_of_range', `must be at most ${api.ACCOUNT_DAYS_MAX} days after the first day`);
  }
}

function daysOf({ account, from, to = from }: Call<typeof listAccountStatements>['query']): AccountDays {
  return { account: account.replace(/\s/g, ''), from, to };
}

function bookRequest({ as, customerId, depositId }: api.BookEntry): EntryDecision {
  requireDebtor(as, customerId);
  if (as === 'customer_debt') return { is: as, customerId: customerId ?? '', depositId };
  if (as !== 'deposit') return { is: 'house', account: as, depositId };
  if (depositId !== undefined)
    throw wrongField('/depositId', 'is only for who bears that a deposit was taken back');
  return { is: as };
}

function requireDebtor(as: string | undefined, customerId: string | undefined): void {
  if ((as === 'customer_debt') === (customerId !== undefined)) return;
  throw wrongField('/customerId', as === 'customer_debt' ? 'is required for a debt' : 'is for debts only');
}

function neverBookedRequest({ as, customerId }: api.NeverBookedEntry): EntryDecision {
  requireDebtor(as, customerId);
  if (as === undefined) return { is: 'never_booked' };
  return { is: 'never_booked', loss: as === 'customer_debt' ? { as, customerId: customerId ?? '' } : { as } };
}

function matchRequest({ transactionId, depositId, purpose }: api.MatchEntry): EntryDecision {
  if ((transactionId === undefined) === (depositId === undefined)) {
    throw wrongField('/transactionId', 'exactly one of transactionId and depositId must be given');
  }
  if (transactionId !== undefined) return { is: 'payment', transactionId, purpose: purpose ?? 'payout' };
  if (purpose !== undefined) throw wrongField('/purpose', 'is for transactions only');
  return { is: 'deposit_return', depositId: depositId ?? '' };
}

function wrongField(pointer: string, detail: string) {
  return validationProblem([{ pointer, code: 'not_permitted', detail }]);
}

type DecisionCall = Call<
  | typeof api.bookStatementEntry
  | typeof api.matchStatementEntry
  | typeof api.markStatementEntryDistinct
  | typeof api.markStatementEntryDuplicate
  | typeof api.markStatementEntryNeverBooked
>;

/** An operator's decision on an entry. Answers 202 with the proposal where a second one has to approve it. */
async function decide(
  room: StatementsRoom,
  { params, body, by, inCommit }: DecisionCall,
  decision: EntryDecision,
): Promise<undefined> {
  const command = {
    entryId: params.entryId,
    actor: by,
    reason: body.reason,
    inCommit: inCommit<EntryOutcome>((outcome, connection) =>
      outcome.done ? shownEntry(connection, outcome.result) : proposed(outcome.approval),
    ),
  };
  await decideEntry(room, command, decision);
}

async function shownEntry(connection: Queryable, entryId: string): Promise<Result> {
  const row = await findDetail(connection, entryId);
  if (row === undefined) throw entryNotFound();
  return { body: entryView(row) };
}
