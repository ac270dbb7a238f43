import {
  COMMAND_KINDS,
  type CommandKind,
  type FixedKind,
  isProposalKind,
  type ProposalKind,
} from '@firmquote/api/command-kinds';
import { JUDGED } from '@firmquote/api/four-eyes';
import { mayBeShown } from '@firmquote/api/scopes';
import { findCurrency, parseAmount } from '@firmquote/fx';
import { eyesOf, rightsOf } from '../authorization/eyes.ts';
import { hashSecret } from '../authorization/secrets.ts';
import { enclose, inside, outside } from '../database/enclosure.ts';
import { type Connection, inTransaction, type Queryable } from '../database/pool.ts';
import type { CommandDesk, CommandUnderWay, RawCommand, ServedOperation } from '../http/command-desk.ts';
import type { Caller } from '../http/context.ts';
import type { Result } from '../http/serve.ts';
import { systemClock } from '../platform/clock.ts';
import { actorId, uuidOf } from '../platform/ids.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import { type Approvable, type ApprovalKind, type Approved, requireReason } from './approvals.ts';
import { ALWAYS, tryOut, withTrialLook } from './do-or-propose.ts';
import { type Effect, type Effects, effectsOf } from './effects.ts';
import { type ActAmount, amountsOf, isCommandKind, isFree, isSecond, whyTwo } from './judge.ts';
import { isOfDesk, judgedCommand, subjectOf } from './judged-commands.ts';
import { policyInForce } from './policy.ts';
import { type Look, roomView } from './room-views.ts';
import type { ApprovalRecord } from './store.ts';
import { proposed, withSecret } from './view.ts';
import { viewsOfMany } from './views-of-many.ts';

/** When a command came: in business time, and by the clock of the machine. */
type Came = readonly [business: number, real: number];

function cameAt(business: number): Came {
  return [business, systemClock.now()];
}

interface DeskOptions {
  readonly pool: Parameters<typeof inTransaction>[0];
  readonly clock: { now(): number };
  /** US dollar cents of an amount; undefined without a price. */
  readonly usdValueOf?: ((currency: string, minor: bigint) => bigint | undefined) | undefined;
  /** What a command moves for each customer, in the smallest unit of the currency of its answer, where the answer has only the sum. */
  readonly partsOf?: Readonly<
    Record<string, (connection: Connection, answer: Json) => Promise<ReadonlyMap<string | undefined, bigint>>>
  >;
  /** Who else a command of this kind touches, in words. */
  readonly affectedBy?: (connection: Connection, kind: string) => Promise<readonly string[]>;
}

/** What a second person is asked for, as it is kept. */
interface ProposedCommand {
  readonly operationId: string;
  readonly params: RawCommand['params'];
  readonly query: RawCommand['query'];
  readonly body: unknown;
  readonly ifMatch: string | null;
  readonly carried: RawCommand['carried'];
}

type Json = Readonly<Record<string, unknown>>;

/** A command that was done in a transaction which nobody has ended yet. */
interface Tried {
  readonly result: Result;
  readonly kind: CommandKind | FixedKind;
  readonly why: readonly string[];
  /** None where nothing waits for a second person, or the room has looked itself. */
  readonly effects: Effects | undefined;
  /** What of them the one who sends the command gets to see. */
  readonly reported: readonly Effect[];
  readonly affected: readonly string[];
  committed(): Promise<void>;
}

/** Thrown to undo what was only tried. */
class Undone extends Error {}

/** Commands that hold a connection of the pool and read over another one. */
const AT_ONCE_MAX = 2; // limit: Commands of operators that are judged at the same time in a process

/**
 * Does commands of operators, or writes them down for a second person: every operation that changes something and is judged by the
 * policy goes through here. The command is done first, inside a transaction of the desk's; then the desk sees what it was worth and
 * what has changed, and keeps it, or undoes it and keeps the proposal.
 */
export class PolicyDesk implements CommandDesk {
  readonly #options: DeskOptions;
  readonly #served = new Map<string, ServedOperation>();
  #free = AT_ONCE_MAX;
  readonly #waiting: (() => void)[] = [];

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  add(served: ServedOperation): void {
    this.#served.set(served.operation.id, served);
  }

  judges(operationId: string): boolean {
    return JUDGED[operationId] !== undefined;
  }

  async do(underWay: CommandUnderWay, work: () => Promise<Result>): Promise<Result> {
    const { operation, command, caller, receivedAt, keep } = underWay;
    const { byPrograms = false, byRoom = false } = JUDGED[operation.id] ?? {};
    if (byRoom) return this.#letRoom(underWay, work);
    const kind = kindOf(operation.id, command);
    if (byPrograms && caller.actor.kind === 'client') return work();
    const policy = await policyInForce(this.#options.pool);
    if (isFree(policy, kind)) return work();
    if (byPrograms) throw notByHand();
    return this.inTurn(async () => {
      const now = this.#options.clock.now();
      const tried = await inTransaction(this.#options.pool, async (connection) => {
        const { tried, approval } = await tryOut(
          connection,
          () => this.#try(connection, operation.id, command, caller, work, receivedAt),
          async (tried) => {
            // The room has proposed it itself, or one person is enough.
            if (tried.result.status === 202 || tried.why.length === 0) return undefined;
            return { ...proposalOf(underWay, tried), proposedBy: caller.actor.id };
          },
          now,
        );
        if (approval === undefined) return tried;
        const answer = proposed({ ...approval, effects: JSON.stringify(tried.reported) });
        const secret = judgedCommand(operation.id).carries?.(jsonOf(tried.result));
        const shown = secret?.isForApprover === true ? undefined : secret?.shown;
        await keep(connection, shown === undefined ? { ...answer, holdsSecret: false } : answer);
        return { ...tried, result: withSecret(answer, shown), committed: async () => undefined };
      });
      await tried.committed();
      return tried.result;
    });
  }

  /** The room judges it and proposes it itself; what its trial changes is looked at here. */
  #letRoom({ operation, caller, receivedAt }: CommandUnderWay, work: () => Promise<Result>): Promise<Result> {
    // A file that is still arriving would keep others waiting, and nothing of it is tried.
    if (operation.bodyMedia !== undefined) return work();
    const look = this.#lookOf(caller, receivedAt);
    return this.inTurn(() => withTrialLook(look, work));
  }

  /** Does a command and undoes it. @throws what the command throws */
  async dryRun(operationId: string, command: RawCommand, caller: Caller): Promise<Omit<Tried, 'committed'>> {
    const served = this.#servedCommand(operationId);
    const now = this.#options.clock.now();
    return this.inTurn(async () => {
      let tried: Tried | undefined;
      try {
        await inTransaction(this.#options.pool, async (connection) => {
          const work = () => served.run(command, caller, now);
          tried = await this.#try(connection, operationId, command, caller, work, now, true);
          throw new Undone();
        });
      } catch (error) {
        if (!(error instanceof Undone) || tried === undefined) throw error;
      }
      return tried as Tried;
    });
  }

  /** The kinds of its proposals, for the room that decides on them. */
  kinds(): Approvable[] {
    const ofDesk = Object.entries(JUDGED).filter(([id]) => isOfDesk(id));
    const names = new Set(ofDesk.flatMap(([, { kind }]) => (isProposalKind(kind) ? [kind] : [])));
    const kind: ApprovalKind = {
      scope: (request) => this.#scopeOf((request as ProposedCommand).operationId),
      makerOf: (approval, now) => this.#makerOf(approval, now),
      carryOut: (connection, approved) => this.#carryOut(connection, approved),
    };
    return [...names, ...MANY_KINDS].map((name) => [name, kind]);
  }

  /** Kinds of rooms' proposals: what is approved has to change what was shown. */
  watched(kinds: readonly Approvable[]): Approvable[] {
    return kinds.map(([name, kind]) => [
      name,
      {
        ...kind,
        carryOut: async (connection, approved) => {
          await kind.carryOut(connection, approved);
          // Who shows something else, such as what a file would bring, compares that itself.
          if (approved.effectsDigest === undefined || roomView(name) === undefined) return;
          const caller = await callerAgain(connection, approved.proposedBy);
          const seen = await this.#lookOf(caller, approved.now)(connection, name, approved.request);
          requireSeen(approved, seen?.effects);
        },
      },
    ]);
  }

  /** The operation of a command, for what is asked of it before it runs. @throws Problem validation_failed */
  operationOf(operationId: string): ServedOperation['operation'] {
    return this.#servedCommand(operationId).operation;
  }

  async #carryOut(connection: Connection, approved: Approved): Promise<void> {
    const { operationId, ifMatch, ...rest } = approved.request as ProposedCommand;
    const command: RawCommand = {
      ...rest,
      ifMatch: ifMatch ?? undefined,
      reason: approved.reason,
      approval: { id: approved.approvalId, approvedBy: approved.decidedBy },
    };
    const served = this.#servedCommand(operationId);
    const caller = await callerAgain(connection, approved.proposedBy);
    const came = cameAt(approved.now);
    const result = await served.run(command, caller, approved.now);
    await requireOther(connection, operationId, result, approved);
    const { effects } = await this.#effects(connection, operationId, command, caller, result, came);
    requireSeen(approved, effects);
    approved.cameTo?.(withoutSecrets(jsonOf(result)));
    const secret = judgedCommand(operationId).carries?.(jsonOf(result));
    if (secret?.isForApprover === true) approved.shows?.(secret.shown);
  }

  /** @param isShown what changes is told also where one person is enough */
  async #try(
    connection: Connection,
    operationId: string,
    command: RawCommand,
    caller: Caller,
    work: () => Promise<Result>,
    now: number,
    isShown = false,
  ): Promise<Tried> {
    const came = cameAt(now);
    const look = this.#lookOf(caller, now);
    const { result, committed } = await enclose(connection, () => withTrialLook(look, work));
    const kind = kindOf(operationId, command);
    const unreported = { result, kind, why: [], effects: undefined, reported: [], affected: [], committed };
    if (result.status === 202) {
      const {
        why,
        effects: reported,
        affected,
      } = jsonOf(result) as Pick<Tried, 'why' | 'affected'> & {
        readonly effects: readonly Effect[];
      };
      return { ...unreported, why, reported, affected };
    }
    // What a room has judged and done takes one person.
    const isOfRoom = !isOfDesk(operationId);
    const why = isOfRoom ? [] : await this.#why(connection, kind, operationId, command, caller, result, now);
    if (why.length === 0 && !isShown) return unreported;
    const { effects, reported } = await this.#effects(connection, operationId, command, caller, result, came);
    const isForOne = command.params.customerId !== undefined;
    const affected = isForOne ? [] : ((await this.#options.affectedBy?.(connection, kind)) ?? []);
    return { ...unreported, why, effects, reported, affected };
  }

  /** By the policy that is in force by now: the command may have waited for others. To set the policy always takes two. */
  async #why(
    connection: Connection,
    kind: CommandKind | FixedKind,
    operationId: string,
    command: RawCommand,
    caller: Caller,
    result: Result,
    now: number,
  ): Promise<readonly string[]> {
    if (!isCommandKind(kind)) return [ALWAYS];
    const first = judgedCommand(operationId).first?.(jsonOf(result));
    if (first !== undefined && (await isSecond(connection, uuidOfActor(first), caller.actor.id))) return [];
    const answer = jsonOf(result);
    const sums = this.#amounts(kind, operationId, command, answer);
    const parts = await this.#options.partsOf?.[operationId]?.(connection, answer);
    const amounts = parts === undefined ? sums : sums.flatMap(({ usdMinor }) => amountsOf(usdMinor, parts));
    return whyTwo(connection, { kind, actorId: caller.actor.id, amounts }, now);
  }

  #amounts(
    kind: CommandKind,
    operationId: string,
    command: RawCommand,
    answer: Readonly<Record<string, unknown>>,
  ): ActAmount[] {
    if (!('counts' in COMMAND_KINDS[kind])) return [];
    const { amounts } = judgedCommand(operationId);
    if (amounts === undefined) return [{ customerId: undefined, usdMinor: undefined }];
    return amounts(answer, command).map(({ amount, currency, customerId }) => ({
      customerId: customerId === undefined ? undefined : uuidOf('cus', customerId),
      usdMinor: this.#worthOf(currency, amount),
    }));
  }

  #worthOf(code: string, amount: string): bigint | undefined {
    const currency = findCurrency(code);
    const parsed = currency === undefined ? undefined : parseAmount(amount, currency);
    if (parsed?.ok !== true) return undefined;
    if (code === 'USD' || parsed.minor === 0n) return parsed.minor;
    return this.#options.usdValueOf?.(code, parsed.minor);
  }

  /**
   * Read while the command holds what it has changed, over another connection: what there is before nobody else can change. Who may
   * not read that sees what the command comes to, and nothing of what there is.
   */
  async #effects(
    connection: Connection,
    operationId: string,
    command: RawCommand,
    caller: Caller,
    result: Result,
    came: Came,
  ): Promise<{ readonly effects: Effects; readonly reported: readonly Effect[] }> {
    const { shows, showsRequest, many, after: reported = (answer) => answer } = judgedCommand(operationId);
    const given = [command.params, command.body];
    const after =
      showsRequest === true
        ? command.body
        : many === undefined
          ? reported(jsonOf(result))
          : { ...(command.body as Json), outcomes: jsonOf(result).items };
    const bare = effectsOf(null, after, given, came);
    const served = shows && this.#served.get(shows.operationId);
    if (shows === undefined || served === undefined) return { effects: bare, reported: bare.shown };
    const ofOne = async (): Promise<Effects> => {
      const query = shows.query?.((command.body ?? {}) as Record<string, unknown>) ?? {};
      const read: RawCommand = { params: command.params, query, body: undefined, ifMatch: undefined };
      const answer = jsonOf(await outside(() => served.run(read, caller, came[0])));
      const before = shows.part === undefined ? answer : shows.part(answer, command);
      return shows.isSource === true
        ? effectsOf(null, { ...(after as object), ...(before as object) }, given, came)
        : effectsOf(before, after, given, came);
    };
    const ofEach = async (each: readonly RawCommand['params'][]): Promise<Effects> => {
      const look = () => viewsOfMany(served, each, caller, came[0]);
      const [before, then] = [await outside(look), await inside(connection, look)];
      return effectsOf({ transactions: before }, { ...(after as object), transactions: then }, given, came);
    };
    const effects = await (many === undefined ? ofOne() : ofEach(many(command.body as Json)));
    const visible = mayBeShown(caller.scopes, served.operation) ? effects : bare;
    return { effects, reported: visible.shown };
  }

  /** The same resource before and after, as the API shows it. */
  #lookOf(caller: Caller, now: number): Look {
    const came = cameAt(now);
    return async (connection, kind, request) => {
      const view = roomView(kind);
      const served = view && this.#served.get(view.operationId);
      if (view === undefined || served === undefined) return undefined;
      const params = view.params(request as Readonly<Record<string, string>>);
      const asked: RawCommand = { params, query: {}, body: undefined, ifMatch: undefined };
      const shown = async () => jsonOf(await served.run(asked, caller, now));
      const before = await outside(shown);
      const after = await inside(connection, shown);
      return { effects: effectsOf(before, after, [params, request], came), isBound: view.moves !== true };
    };
  }

  #servedCommand(operationId: string): ServedOperation {
    const served = this.#served.get(operationId);
    const judged = JUDGED[operationId];
    const isTried = judged !== undefined && judged.byPrograms !== true;
    // What a trial would move is no request that can be kept.
    if (served !== undefined && isTried && served.operation.bodyMedia === undefined) return served;
    const detail = 'must be the id of an operation that may need a second person';
    throw validationProblem([{ pointer: '/operationId', code: 'not_permitted', detail }]);
  }

  /** Of what a proposal goes on with, as it is now. */
  async #makerOf({ request, proposedBy }: ApprovalRecord, now: number): Promise<string | undefined> {
    const { operationId, params } = JSON.parse(request) as ProposedCommand;
    const { first, shows } = judgedCommand(operationId);
    const served = shows && this.#served.get(shows.operationId);
    if (first === undefined || served === undefined) return undefined;
    const caller = await callerAgain(this.#options.pool, proposedBy);
    const asked: RawCommand = { params, query: {}, body: undefined, ifMatch: undefined };
    return uuidOfActor(first(jsonOf(await served.run(asked, caller, now))));
  }

  #scopeOf(operationId: string): string {
    return this.#served.get(operationId)?.operation.access?.scope ?? 'operator:*';
  }

  /** Whoever holds a connection and reads over another one waits for a place, so that there are enough for all. */
  readonly inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  };
}

/**
 * Who began what this goes on with does not approve it either: a program that nobody answers for may have proposed it for them.
 * @throws Problem second_person_required
 */
async function requireOther(
  connection: Connection,
  operationId: string,
  result: Result,
  { decidedBy }: Approved,
): Promise<void> {
  const first = judgedCommand(operationId).first?.(jsonOf(result));
  if (first === undefined || (await isSecond(connection, uuidOfActor(first), decidedBy))) return;
  throw new Problem('second_person_required', 'You made this, so another person must approve it.', {
    members: { proposedBy: first },
  });
}

/** @throws Problem proposal_outdated */
function requireSeen({ effectsDigest }: Approved, effects: Effects | undefined): void {
  if (effects?.digest === effectsDigest) return;
  throw new Problem('proposal_outdated', 'Its effects would now differ from those proposed.', {
    members: { effects: effects?.shown ?? [], effectsDigest: effects?.digest ?? null },
  });
}

/** Kinds that only a command on many has. */
const MANY_KINDS: readonly ProposalKind[] = [
  'payment_released',
  'payment_confirmed',
  'payment_failed',
  'payment_retried',
];

function kindOf(operationId: string, { body }: RawCommand): CommandKind | FixedKind {
  const own = judgedCommand(operationId).kind?.((body ?? {}) as Record<string, unknown>);
  const kind = own ?? JUDGED[operationId]?.kind;
  if (kind === undefined) throw new Error(`nobody judges ${operationId}`);
  return kind;
}

function uuidOfActor(id: string): string {
  return uuidOf(id.startsWith('per_') ? 'per' : 'cli', id);
}

function notByHand(): Problem {
  return new Problem(
    'second_person_required',
    'This needs two people, and would be stale by the time the second approves. Let a program do it.',
  );
}

/** The one who has proposed a command, with the rights that it has now. */
async function callerAgain(connection: Queryable, actor: string): Promise<Caller> {
  const scopes = (await rightsOf(connection, actor)) ?? new Set();
  const kind = actorId(actor).startsWith('per_') ? 'person' : 'client';
  const personId = await eyesOf(connection, actor);
  return { actor: { kind, id: actor }, personId, tokenId: 'approval', customerId: undefined, scopes };
}

function proposalOf(
  { operation, command }: CommandUnderWay,
  { result, kind, why, effects, affected }: Tried,
) {
  const carried = judgedCommand(operation.id).carries?.(jsonOf(result));
  const request: ProposedCommand = {
    operationId: operation.id,
    params: command.params,
    query: {},
    body: command.body ?? null,
    ifMatch: command.ifMatch ?? null,
    carried:
      carried === undefined || carried.isForApprover === true
        ? undefined
        : { secretHash: hashSecret(carried.secret).toString('hex') },
  };
  if (!isProposalKind(kind)) throw new Error(`a room proposes what is ${kind}`);
  return {
    kind,
    subject: subjectOf(operation.id, operation.path, command),
    request,
    reason: requireReason(
      command.reason ?? (command.body as { readonly reason?: unknown } | undefined)?.reason,
    ),
    why,
    ...(effects && { effects: effects.shown, effectsDigest: effects.digest }),
    affected,
  };
}

function jsonOf({ body }: Result): Readonly<Record<string, unknown>> {
  if (typeof body === 'string') return JSON.parse(body) as Record<string, unknown>;
  return (body ?? {}) as Record<string, unknown>;
}

function withoutSecrets(answer: Readonly<Record<string, unknown>>): unknown {
  const { clientSecret: _, invitationLink: __, ...rest } = answer;
  return rest;
}
