import { AsyncLocalStorage } from 'node:async_hooks';
import type { Connection } from '../database/pool.ts';
import { type Proposal, propose } from './approvals.ts';
import { type Act, whyTwo } from './judge.ts';
import type { Look } from './room-views.ts';
import type { ApprovalRecord } from './store.ts';

/** What became of an operator's command: done, or written down for a second person. */
export type Outcome<Done> =
  | { readonly done: true; readonly result: Done }
  | { readonly done: false; readonly approval: ApprovalRecord };

/** What an operator wants to have done. */
export interface Command<Done> {
  /** Whether it takes a second person whatever the policy says; a function where only what was done shows it. */
  readonly needsTwo: boolean | ((done: Done) => boolean);
  /** What the policy judges, where it has a say; a function where only what was done shows whom it is for. */
  readonly act?: Act | ((done: Done) => Promise<Act>);
  carryOut(): Promise<Done>;
  /** @param done what a trial came to, which is undone */
  proposal(done: Done): Proposal;
}

/** Why of what the policy has no say in. */
export const ALWAYS = 'This always needs two people.';

const trialLook = new AsyncLocalStorage<Look>();

/** Work whose trials are looked at before they are undone: a proposal shows what it would change. */
export function withTrialLook<T>(look: Look, work: () => Promise<T>): Promise<T> {
  return trialLook.run(look, work);
}

/**
 * Does work in the caller's transaction, and undoes it where it is to be proposed instead.
 * @param proposalOf looks at what was done while it stands; undefined where it stays
 * @returns what was done, and where it is undone again, what waits for a second person
 * @throws Problem already_exists when something is proposed for the subject already, and what the work throws
 */
export async function tryOut<Done>(
  connection: Connection,
  work: () => Promise<Done>,
  proposalOf: (done: Done) => Promise<Proposal | undefined>,
  now: number,
): Promise<{ readonly tried: Done; readonly approval: ApprovalRecord | undefined }> {
  await connection.query('savepoint trial');
  const tried = await work();
  const proposal = await proposalOf(tried);
  if (proposal !== undefined) await connection.query('rollback to savepoint trial');
  // A trial around this one goes back to its own.
  await connection.query('release savepoint trial');
  return { tried, approval: proposal && (await propose(connection, proposal, now)) };
}

/**
 * Does an operator's command, or writes it down for a second person, in the caller's transaction. It is tried out even then:
 * what cannot be done is reported to the one who proposes it, not only to the one who approves.
 * @throws Problem already_exists when something is proposed for the subject already, and what the work throws
 */
export async function doOrPropose<Done>(
  connection: Connection,
  { needsTwo, act, carryOut, proposal }: Command<Done>,
  now: number,
): Promise<Outcome<Done>> {
  if (needsTwo === false && act === undefined) return { done: true, result: await carryOut() };
  const { tried, approval } = await tryOut(
    connection,
    carryOut,
    async (result) => {
      const why = await whyOf(connection, needsTwo, act, result, now);
      if (why.length === 0) return undefined;
      const proposed = proposal(result);
      const seen = await trialLook.getStore()?.(connection, proposed.kind, proposed.request);
      const effects = seen && {
        effects: seen.effects.shown,
        ...(seen.isBound && { effectsDigest: seen.effects.digest }),
      };
      return { why, ...effects, ...proposed };
    },
    now,
  );
  return approval === undefined ? { done: true, result: tried } : { done: false, approval };
}

async function whyOf<Done>(
  connection: Connection,
  needsTwo: Command<Done>['needsTwo'],
  act: Command<Done>['act'],
  result: Done,
  now: number,
): Promise<readonly string[]> {
  if (typeof needsTwo === 'boolean' ? needsTwo : needsTwo(result)) return [ALWAYS];
  const judged = typeof act === 'function' ? await act(result) : act;
  return judged === undefined ? [] : whyTwo(connection, judged, now);
}

/** US dollar cents of an amount; undefined without a price, and then two persons have to look. */
export function worthOf(
  room: { readonly usdValueOf?: (currency: string, minor: bigint) => bigint | undefined },
  currency: string,
  minor: bigint,
): bigint | undefined {
  if (minor === 0n) return 0n;
  return currency === 'USD' ? minor : room.usdValueOf?.(currency, minor);
}
