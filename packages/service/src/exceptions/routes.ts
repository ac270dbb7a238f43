import type { BodyOf } from '@firmquote/api/operation';
import { commandDeposits, type DepositOutcome } from '@firmquote/api/operations/deposit-commands';
import * as deposits from '@firmquote/api/operations/deposits';
import * as api from '@firmquote/api/operations/exceptions';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Failure, failureOf } from '../bank-statements/room.ts';
import { logFailure } from '../database/log-failure.ts';
import { type ExceptionRow, type ExceptionWithSum, listExceptions } from '../deposits/exceptions.ts';
import type { CommandOutcome } from '../deposits/operate-deposit.ts';
import { outstandingOf } from '../deposits/receivables.ts';
import { exceptionHistory, findDeposit } from '../deposits/room.ts';
import { historyView } from '../deposits/view.ts';
import { eachByItself, type ItemOutcome, itemProblem, outcomeView } from '../http/each-by-itself.ts';
import { loggedRequest } from '../http/logged-request.ts';
import { type Call, type Result, serve } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId, uuidOf } from '../platform/ids.ts';
import { validationProblem } from '../problems/problem.ts';
import { commandEach } from './command-each.ts';
import {
  assignException,
  type ExceptionCommand,
  existingException,
  resolveException,
  retryException,
} from './resolve-exception.ts';
import type { ExceptionsRoom } from './room.ts';
import { type Suggestion, suggestFor } from './suggest.ts';
import { suggestedCommands } from './suggested-commands.ts';
import { countDeposits, countExceptions } from './work-counts.ts';

const HOUR_MS = 3_600_000;

/** The queue of what needs a person, how much of it waits, and the same command on many pieces of it. */
export function workRoutes(app: FastifyInstance, room: ExceptionsRoom): void {
  const { pool, clock } = room;
  serve(app, deposits.countDeposits, async () => {
    const counts = await countDeposits(pool, clock.now());
    return { body: { items: counts.map(({ kind: status, ...count }) => ({ status, ...count })) } };
  });
  serve(app, api.countExceptions, async () => {
    const counts = await countExceptions(pool, clock.now());
    return { body: { items: counts.map(({ kind: type, ...count }) => ({ type, ...count })) } };
  });
  serve(app, api.listExceptions, async ({ query, page }) => {
    const { type: types, age, assignee, status, customerId, depositId } = query;
    const now = clock.now();
    const filter = {
      types,
      status: status === 'all' ? undefined : status,
      assignee: assignee === 'none' ? undefined : assignee,
      unassigned: assignee === 'none',
      openedUntil: age === undefined ? undefined : now - age * HOUR_MS,
      customerId,
      depositId,
    };
    const rows = await listExceptions(pool, filter, page.afterId, page.rows);
    const view = (row: ExceptionWithSum) => exceptionView(row, now);
    return { body: page.of(rows, (row) => [row.id], view) };
  });
  serve(app, api.getException, async ({ params }) => {
    const row = await existingException(pool, params.exceptionId);
    return { version: row.version, body: await detailView(room, row) };
  });
  serve(app, api.assignException, async (call) => {
    const { assignee, note } = call.body;
    await assignException(room, commandFrom(room, call, note), assignee);
  });
  serve(app, api.resolveException, async (call) => {
    const { resolution, note } = call.body;
    await resolveException(room, commandFrom(room, call, note), resolution);
  });
  serve(app, api.retryException, async (call) => {
    await retryException(room, commandFrom(room, call, call.body.note));
  });
  bulkRoutes(app, room);
}

function commandFrom(
  { clock }: ExceptionsRoom,
  {
    params,
    ifMatch,
    by,
    inCommit,
  }: Pick<Call<typeof api.retryException>, 'params' | 'ifMatch' | 'by' | 'inCommit'>,
  note: string | undefined,
): ExceptionCommand {
  return {
    exceptionId: params.exceptionId,
    ifMatch,
    actor: by,
    note: note ?? null,
    inCommit: inCommit(
      (row: ExceptionWithSum): Result => ({ version: row.version, body: exceptionView(row, clock.now()) }),
    ),
  };
}

function bulkRoutes(app: FastifyInstance, room: ExceptionsRoom): void {
  serve(app, commandDeposits, async ({ body, by, request }) => {
    const { command, items, as, assignee } = body;
    requireFields(command, { book: ['as', as], assign: ['assignee', assignee] });
    const outcomes = await commandEach(room, body, by, (error, { depositId }) =>
      logItem(request, error, { depositId }, 'a bulk command failed for one deposit'),
    );
    const views = outcomes.map((each, index) => depositOutcome(items[index]?.depositId ?? '', each));
    return { body: { items: views } };
  });
  serve(app, api.commandExceptions, async ({ body, by, request }) => {
    const { command, items, resolution, assignee } = body;
    requireFields(command, { resolve: ['resolution', resolution], assign: ['assignee', assignee] });
    const outcomes = await eachByItself(
      items,
      (item) => onException(room, body, item, by),
      (error, { exceptionId }) =>
        logItem(request, error, { exceptionId }, 'a bulk command failed for one exception'),
    );
    const views = outcomes.map((each, index) => ({
      exceptionId: items[index]?.exceptionId,
      ...outcomeView(each),
    }));
    return { body: { items: views } };
  });
}

function logItem(
  request: FastifyRequest,
  error: unknown,
  item: Readonly<Record<string, string>>,
  message: string,
): void {
  logFailure(request.server.logger, error, { ...item, ...loggedRequest(request) }, message);
}

function depositOutcome(depositId: string, each: ItemOutcome<CommandOutcome>): DepositOutcome {
  const nothing = { status: null, version: null, approvalId: null, problem: null };
  if (each.outcome === 'refused')
    return { ...nothing, depositId, outcome: 'refused', problem: itemProblem(each.problem) };
  if (each.outcome === 'failed') return { ...nothing, depositId, outcome: 'failed' };
  if (!each.done.done) {
    return { ...nothing, depositId, outcome: 'proposed', approvalId: typeId('apr', each.done.approval.id) };
  }
  const { status, version } = each.done.result;
  return { ...nothing, depositId, outcome: 'done', status, version };
}

type CommandExceptions = BodyOf<typeof api.commandExceptions>;

async function onException(
  room: ExceptionsRoom,
  { command: name, note, resolution, assignee = null }: CommandExceptions,
  { exceptionId, version }: CommandExceptions['items'][number],
  actor: string,
): Promise<ExceptionWithSum> {
  const command = { exceptionId: uuidOf('exc', exceptionId), ifMatch: version, actor, note };
  if (name === 'assign') return assignException(room, command, assignee);
  if (name === 'retry') return retryException(room, command);
  if (resolution === undefined) throw new Error('a resolution was let through without its name');
  return resolveException(room, command, resolution);
}

/** What one command needs is not what another does. @throws Problem validation_failed */
function requireFields(
  command: string,
  needed: Readonly<Record<string, readonly [name: string, value: unknown]>>,
): void {
  const [name, value] = needed[command] ?? [];
  if (name === undefined || value !== undefined) return;
  throw validationProblem([{ pointer: `/${name}`, code: 'required', detail: `is required to ${command}` }]);
}

async function detailView(
  { pool, clock }: ExceptionsRoom,
  row: ExceptionWithSum,
): Promise<api.ExceptionDetail> {
  const isOpenDeposit = row.status === 'open' && row.deposit_id !== null;
  const deposit = isOpenDeposit ? await findDeposit(pool, row.deposit_id ?? '') : undefined;
  const suggestions = deposit === undefined ? [] : await suggestFor(pool, deposit);
  const subject = row.entry_id ?? row.status_id;
  const failure = subject === null || row.status !== 'open' ? undefined : await failureOf(pool, subject);
  return {
    ...exceptionView(row, clock.now()),
    suggestions: suggestions.map(suggestionView),
    orders: await suggestedCommands(pool, row),
    failure: failure === undefined ? null : failureView(failure),
    history: (await exceptionHistory(pool, row.id)).map(historyView),
  };
}

function exceptionView(row: ExceptionWithSum, now: number): api.ReconciliationException {
  return {
    exceptionId: typeId('exc', row.id),
    type: row.type,
    reason: row.reason,
    status: row.status,
    version: row.version,
    depositId: row.deposit_id === null ? null : typeId('dep', row.deposit_id),
    transactionId: row.transaction_id === null ? null : typeId('txn', row.transaction_id),
    withdrawalId: row.withdrawal_id === null ? null : typeId('wdr', row.withdrawal_id),
    returnId: row.return_id === null ? null : typeId('dpr', row.return_id),
    customerId: row.customer_id === null ? null : typeId('cus', row.customer_id),
    entryId: row.entry_id === null ? null : typeId('ste', row.entry_id),
    sum: sumOf(row),
    logFault: row.log_fault,
    report: reportOf(row),
    assignee: row.assignee,
    openedAt: isoInstant(row.opened_at),
    ageHours: Math.max(0, Math.trunc(((row.resolved_at ?? now) - row.opened_at) / HOUR_MS)),
    resolvedAt: row.resolved_at === null ? null : isoInstant(row.resolved_at),
    resolution: row.resolution,
  };
}

function sumOf({ sumCurrency: currency, sumMinor: minor }: ExceptionWithSum) {
  if (currency === null || minor === null) return null;
  return { amount: formatAmount(BigInt(minor), knownCurrency(currency)), currency };
}

function reportOf({ schedule_id: schedule, report_id: report, slot }: ExceptionRow) {
  if (schedule === null || slot === null) return null;
  return {
    scheduleId: typeId('rps', schedule),
    slot,
    reportId: report === null ? null : typeId('rep', report),
  };
}

function failureView({
  attempts,
  reason,
  detail,
  firstAt,
  lastAt,
  nextAt,
}: Failure): NonNullable<api.ExceptionDetail['failure']> {
  return {
    attempts,
    reason,
    detail,
    firstAt: isoInstant(firstAt),
    lastAt: isoInstant(lastAt),
    nextAt: isoInstant(nextAt),
  };
}

function suggestionView({ row, target, score, reasonsFor, reasonsAgainst }: Suggestion) {
  return {
    transactionId: typeId('txn', row.id),
    customerId: typeId('cus', row.customer_id),
    reference: row.reference,
    status: row.status,
    currency: target.currency,
    outstandingAmount: formatAmount(outstandingOf(target), knownCurrency(target.currency)),
    score,
    reasonsFor: [...reasonsFor],
    reasonsAgainst: [...reasonsAgainst],
  };
}
