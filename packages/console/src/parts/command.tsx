import { ApiError, FirmquoteError, OutcomeUnknownError, VersionMismatchError } from '@firmquote/client';
import type { Approval } from '@firmquote/client/operator';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { noticeFailure, operator } from '../api/session.ts';
import { useKeptPlace } from './draft.ts';
import { Icon } from './icons.tsx';
import { type Intention, Intentions } from './intentions.ts';
import { explained, Failure } from './states.tsx';
import { KEPT, useStays } from './stays.ts';
import { Way } from './way.tsx';

/** What became of a command: nothing is shown as done before the service has said so. */
export type CommandState<T> =
  | { readonly at: 'idle' }
  /** Kept: somebody wanted to leave meanwhile. */
  | { readonly at: 'sending'; readonly isKept: boolean }
  | { readonly at: 'done'; readonly value: T }
  | { readonly at: 'waits'; readonly approval: Approval }
  /** Perhaps by its own sender: the answer to the same command was lost before. */
  | { readonly at: 'changed'; readonly error: unknown; readonly isPerhapsOwn: boolean }
  | { readonly at: 'refused'; readonly error: unknown }
  /** Keyed: sent again, it is done once. */
  | { readonly at: 'unknown'; readonly error: unknown; readonly isKeyed: boolean };

export interface Command<I, T> {
  readonly state: CommandState<T>;
  readonly isBusy: boolean;
  /** What was sent last. */
  readonly sent: I | undefined;
  /** Does nothing while it is being sent. */
  readonly send: (intent: I) => void;
  readonly reset: () => void;
}

const intentions = new Intentions(() => operator.clock.now(), sessionStorage);

/**
 * Sends what somebody means, once: the same intention has the same key for as long as nobody knows what became of it, and while it is
 * under way a second press does nothing, and the page stays.
 * @param name of what is done, and to what: it tells intentions of different forms apart
 */
export function useCommand<I, T extends object>(
  name: string,
  send: (intent: I, intention: Intention) => PromiseLike<T | Approval>,
  onDone?: (value: T) => void,
): Command<I, T> {
  const [state, set] = useState<CommandState<T>>({ at: 'idle' });
  const queries = useQueryClient();
  const place = useKeptPlace(`meant.${name}`);
  const isUnderWay = useRef(false);
  const isUnsure = useRef(false);
  useStays(state.at === 'sending', isUnderWay, () => set({ at: 'sending', isKept: true }));
  const [sent, note] = useState<I>();
  const run = async (intent: I) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    note(intent);
    set({ at: 'sending', isKept: false });
    const text = JSON.stringify(intent);
    const intention = intentions.of(place, text);
    try {
      const answer = await send(intent, intention);
      intentions.decided(place, text);
      isUnsure.current = false;
      // It may lead elsewhere.
      isUnderWay.current = false;
      const value = isApproval(answer) ? undefined : answer;
      // Drawn before everything is read again: what is no longer shown, since it is gone, is not asked for.
      flushSync(() => {
        set(value === undefined ? { at: 'waits', approval: answer as Approval } : { at: 'done', value });
        if (value !== undefined) onDone?.(value);
      });
    } catch (error) {
      noticeFailure(error);
      const failed = failedAs(error, intention, isUnsure.current);
      // Decided: whoever tries again means something new.
      const isDecided = failed.at !== 'unknown' && decides(error);
      if (isDecided) intentions.decided(place, text);
      isUnsure.current = failed.at === 'unknown' || (isUnsure.current && !isDecided);
      set(failed);
    } finally {
      isUnderWay.current = false;
      void queries.invalidateQueries();
    }
  };
  return {
    state,
    isBusy: state.at === 'sending',
    sent,
    send: (intent) => void run(intent),
    reset: () => set((before) => (before.at === 'sending' ? before : { at: 'idle' })),
  };
}

/** The answer 202: nothing was done, and a second person decides. */
export function isApproval(answer: object): answer is Approval {
  return 'approvalId' in answer && 'proposedAt' in answer;
}

function failedAs(error: unknown, { idempotencyKey }: Intention, isPerhapsOwn: boolean): CommandState<never> {
  if (error instanceof VersionMismatchError) return { at: 'changed', error, isPerhapsOwn };
  if (error instanceof ApiError && error.status < 500) return { at: 'refused', error };
  // What takes no key, or was sent with another one, is not done only once for it.
  const isKeyed = error instanceof FirmquoteError && error.idempotencyKey === idempotencyKey;
  return { at: 'unknown', error, isKeyed };
}

/** Refused before anybody has looked at the key. */
const NOT_DECIDED: ReadonlySet<number> = new Set([401, 403, 408, 429]);

/** Whether a refusal says what became of what was sent before under the same key, whose answer was lost (docs/guide/idempotency.md). */
function decides(error: unknown): boolean {
  return !(error instanceof ApiError && (NOT_DECIDED.has(error.status) || error.retry === 'same_request'));
}

/** Sends a form. It keeps the focus while that is under way, and a second press does nothing (`useCommand`). */
export function SendButton({
  isReady,
  isBusy,
  children,
}: {
  readonly isReady: boolean;
  readonly isBusy: boolean;
  readonly children: ReactNode;
}) {
  return (
    <button type="submit" className="button first" disabled={!isReady} aria-disabled={isBusy}>
      {children}
    </button>
  );
}

interface OutcomeProps<T> {
  readonly state: CommandState<T>;
  readonly done: ReactNode;
  /** Who has changed it, and what to look at. */
  readonly meanwhile?: ReactNode;
}

/** What became of a command, in its place on the page. It stays until something else is done. */
export function Outcome<T>(props: OutcomeProps<T>) {
  return (
    <>
      {/* It is there before there is anything to say, or nothing is heard of it. */}
      <div className="outcome" role="status">
        <Went {...props} />
      </div>
      <Failed {...props} />
    </>
  );
}

function Went<T>({ state, done }: OutcomeProps<T>) {
  if (state.at === 'sending') return <span className="hint">Sending … {state.isKept && KEPT}</span>;
  if (state.at === 'done')
    return (
      <span className="chip ok">
        <Icon name="ok" /> {done}
      </span>
    );
  return state.at === 'waits' ? <Waits approval={state.approval} /> : null;
}

function Failed<T>({ state, meanwhile }: OutcomeProps<T>) {
  if (state.at !== 'refused' && state.at !== 'changed' && state.at !== 'unknown') return null;
  if (state.at === 'refused') return <Failure error={state.error} isAct />;
  if (state.at === 'changed')
    return (
      <div className="callout warn" role="alert">
        <h2>{state.isPerhapsOwn ? 'This may be your own change' : 'Someone changed this first'}</h2>
        {meanwhile ?? <p>It has changed since you read it.</p>}
        <p className="hint">
          {state.isPerhapsOwn
            ? 'The answer to what you sent first was lost, and this time nothing was done. Check before you send it again.'
            : 'Your command was not carried out. What you typed is still there.'}
        </p>
      </div>
    );
  const { requestId } = explained(state.error);
  return (
    <div className="callout warn" role="alert">
      <h2>We do not know yet whether it was done</h2>
      <p>
        {lostAs(state.error)}{' '}
        {state.isKeyed
          ? 'Check, or press the button again: it is sent with the same key, and done only once.'
          : 'Check whether it was done before you press the button again.'}
      </p>
      {requestId !== undefined && (
        <p className="hint">
          Request <span className="mono">{requestId}</span>
        </p>
      )}
    </div>
  );
}

/** In words for people: a lost answer has the name of its operation. */
function lostAs(error: unknown): string {
  return error instanceof OutcomeUnknownError ? 'The answer was lost.' : explained(error).detail;
}

function Waits({ approval }: { readonly approval: Approval }) {
  return (
    <div className="callout warn">
      <h2>It waits for a second person</h2>
      <p>{approval.why.length > 0 ? approval.why.join(' ') : 'Nothing has changed yet.'}</p>
      <Way className="button" to="/approvals" instead={null} search={{ approval: approval.approvalId }}>
        Open the approval
      </Way>
    </div>
  );
}
