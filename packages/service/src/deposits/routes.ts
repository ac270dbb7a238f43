import * as commands from '@firmquote/api/operations/deposit-commands';
import * as api from '@firmquote/api/operations/deposits';
import * as rules from '@firmquote/api/operations/matching-rules';
import { refundExcess } from '@firmquote/api/operations/operator-transactions';
import type { FastifyInstance } from 'fastify';
import { proposed } from '../approvals/view.ts';
import { current } from '../database/enclosure.ts';
import { type Call, serve } from '../http/serve.ts';
import { commandOf } from '../payments/operate.ts';
import { isoInstant } from '../platform/clock.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { listVersions, newestDocument, replaceDocument } from '../settings/documents.ts';
import { serveVersions, versioned } from '../settings/serve-document.ts';
import { accountRoutes } from './account-routes.ts';
import { bookingAsHouse } from './book-deposit.ts';
import { forgiving } from './forgive-shortfall.ts';
import { depositHistory } from './history-store.ts';
import { ignoring } from './ignore-deposit.ts';
import { matchingByHand } from './match-by-hand.ts';
import { MATCHING_DOCUMENT } from './matching-settings.ts';
import { assignDeposit, noteOnDeposit } from './note-deposit.ts';
import { type CommandOutcome, commandDeposit, type DepositCommand } from './operate-deposit.ts';
import { cancelReturn, confirmReturn, failReturn } from './operate-return.ts';
import { previewRules } from './preview-rules.ts';
import { readDeposit } from './read-deposit.ts';
import { receiveDeposit } from './receive-deposit.ts';
import type { DepositRecord } from './record.ts';
import { openExcessRefund } from './refund-excess.ts';
import { releasing } from './release-deposit.ts';
import { replacingTopUp } from './replace-top-up.ts';
import { returning } from './return-deposit.ts';
import type { DepositsRoom } from './room.ts';
import { depositFilter } from './search-deposits.ts';
import { searchDeposits } from './search-store.ts';
import { findDeposit } from './store.ts';
import { toppingUp } from './top-up-by-hand.ts';
import { unmatching } from './unmatch-deposit.ts';
import { depositAnswer, depositViews, historyView, newDepositAnswer } from './view.ts';

const PREVIEW_DEPOSITS = 50;

/** Money that arrived, and what people do with it. */
export function depositRoutes(app: FastifyInstance, room: DepositsRoom): void {
  serve(app, api.recordDeposit, async ({ body, inCommit }) => {
    const deposit = await readDeposit(room.pool, body, 'operator', room.clock.now());
    await receiveDeposit(
      room,
      deposit,
      inCommit(({ deposit: record, outcome }, connection) =>
        newDepositAnswer(connection, record, outcome === 'received' ? 201 : 200),
      ),
    );
  });
  serve(
    app,
    api.listDeposits,
    async ({ query, page }) => {
      const filter = depositFilter(query, room.clock.now());
      const rows = await searchDeposits(room.pool, filter, page.place('instant', 'uuid'), page.rows);
      const { items, ...rest } = page.of(
        rows,
        (deposit) => [isoInstant(deposit.receivedAt), deposit.id],
        (deposit) => deposit,
      );
      return { body: { items: await depositViews(room.pool, items), ...rest } };
    },
    { judge: (query, refuse) => void depositFilter(query, room.clock.now(), refuse) },
  );
  serve(app, api.getDeposit, async ({ params }) =>
    depositAnswer(room.pool, await existingDeposit(room, params.depositId)),
  );
  serve(app, api.getDepositHistory, async ({ params }) => {
    const { id } = await existingDeposit(room, params.depositId);
    return { body: { items: (await depositHistory(room.pool, id)).map(historyView) } };
  });
  commandRoutes(app, room);
  serve(app, refundExcess, async (call) => {
    await openExcessRefund(room, commandOf(room, call), call.by);
  });
  accountRoutes(app, room);
  ruleRoutes(app, room);
}

async function existingDeposit({ pool }: DepositsRoom, id: string): Promise<DepositRecord> {
  const deposit = await findDeposit(pool, id);
  if (deposit === undefined) throw new Problem('deposit_not_found', 'There is no deposit with this id.');
  return deposit;
}

/** What people do with deposits. Answers 202 with the proposal where it takes a second person. */
function commandRoutes(app: FastifyInstance, room: DepositsRoom): void {
  serve(app, commands.matchDeposit, async (call) => {
    await matchDeposit(room, commandFrom(call, call.body.reason), call.body);
  });
  serve(app, commands.replaceTopUp, async (call) => {
    const { reason, ...request } = call.body;
    await commandDeposit(room, commandFrom(call, reason), replacingTopUp, request);
  });
  serve(app, commands.unmatchDeposit, async (call) => {
    const { reason, ...request } = call.body;
    await commandDeposit(room, commandFrom(call, reason), unmatching, request);
  });
  serve(app, commands.returnDeposit, async (call) => {
    const { reason, returnedBy = 'house', ...request } = call.body;
    await commandDeposit(room, commandFrom(call, reason), returning, { ...request, returnedBy });
  });
  serve(app, commands.releaseDeposit, async (call) => {
    const { reason, remember = false } = call.body;
    await commandDeposit(room, commandFrom(call, reason), releasing, { remember });
  });
  serve(app, commands.forgiveShortfall, async (call) => {
    const { reason, ...request } = call.body;
    await commandDeposit(room, commandFrom(call, reason), forgiving, request);
  });
  serve(app, commands.ignoreDeposit, async (call) => {
    await commandDeposit(room, commandFrom(call, call.body.reason), ignoring, {});
  });
  serve(app, commands.bookDeposit, async (call) => {
    const { reason, as } = call.body;
    await commandDeposit(room, commandFrom(call, reason), bookingAsHouse, { as });
  });
  serve(app, commands.assignDeposit, async (call) => {
    const { assignee, note = null } = call.body;
    await assignDeposit(room, commandFrom(call, note), assignee);
  });
  serve(app, commands.addDepositNote, async (call) => {
    await noteOnDeposit(room, commandFrom(call, call.body.note));
  });
  serve(app, commands.confirmDepositReturn, async (call) => {
    const { reason, bankReference } = call.body;
    const command = { ...commandFrom(call, reason), returnId: call.params.returnId };
    await confirmReturn(room, command, bankReference);
  });
  serve(app, commands.failDepositReturn, async (call) => {
    await failReturn(room, { ...commandFrom(call, call.body.reason), returnId: call.params.returnId });
  });
  serve(app, commands.cancelDepositReturn, async (call) => {
    await cancelReturn(room, { ...commandFrom(call, call.body.reason), returnId: call.params.returnId });
  });
}

async function matchDeposit(
  room: DepositsRoom,
  command: ReturnType<typeof commandFrom<string>>,
  { allocations, balance, isAnotherPayment }: Call<typeof commands.matchDeposit>['body'],
): Promise<void> {
  if (allocations !== undefined && balance === undefined) {
    await commandDeposit(room, command, matchingByHand, { allocations, isAnotherPayment });
  } else if (balance !== undefined && allocations === undefined) {
    await commandDeposit(room, command, toppingUp, { ...balance, isAnotherPayment });
  } else {
    const detail = 'is required, or balance instead, but not both';
    throw validationProblem([{ pointer: '/allocations', code: 'required', detail }]);
  }
}

function commandFrom<Reason extends string | null>(
  {
    params,
    ifMatch,
    by,
    inCommit,
  }: Pick<Call<typeof commands.ignoreDeposit>, 'params' | 'ifMatch' | 'by' | 'inCommit'>,
  reason: Reason,
): Omit<DepositCommand, 'reason'> & { readonly reason: Reason } {
  return {
    depositId: params.depositId,
    ifMatch,
    actor: by,
    reason,
    inCommit: inCommit((outcome: CommandOutcome, connection) =>
      outcome.done ? depositAnswer(connection, outcome.result) : proposed(outcome.approval),
    ),
  };
}

/** The rules of matching as operators' data, one document, every version kept. */
function ruleRoutes(app: FastifyInstance, room: DepositsRoom): void {
  const { pool, clock } = room;
  serve(app, rules.getMatchingRules, async () => versioned(await newestDocument(pool, MATCHING_DOCUMENT)));
  serve(app, rules.replaceMatchingRules, async ({ body, ifMatch, by }) =>
    versioned(
      await replaceDocument(current(pool), MATCHING_DOCUMENT, body, { by, at: clock.now(), ifMatch }),
    ),
  );
  serveVersions(app, rules.listMatchingRuleVersions, (...page) =>
    listVersions(pool, MATCHING_DOCUMENT, ...page),
  );
  serve(app, rules.previewMatchingRules, async ({ body }) => ({
    body: await previewRules(room.pool, body.rules, body.deposits ?? PREVIEW_DEPOSITS),
  }));
}
