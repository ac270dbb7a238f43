import { ApiError, ConnectionError, FirmquoteError, NotFoundError, PermissionError } from '@firmquote/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { isRightMissing, operator } from '../api/session.ts';
import { detailOf } from './problem-words.ts';
import { At } from './text.tsx';
import { Way } from './way.tsx';

const ROWS = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Nothing for a moment: what comes at once should not flicker. */
export function Loading() {
  const [isShown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), 150);
    return () => clearTimeout(timer);
  }, []);
  if (!isShown) return null;
  return (
    <output className="card" aria-label="Loading">
      {ROWS.map((row) => (
        <div key={row} className="skeleton" />
      ))}
    </output>
  );
}

/** What went wrong, in the service's own words, with what its people need to find it. */
export function Failure({
  error,
  again,
  isAct = false,
}: {
  readonly error: unknown;
  readonly again?: (() => void) | undefined;
  /** Of something that somebody did, and not of what the page reads. */
  readonly isAct?: boolean;
}) {
  if (isRightMissing(error)) return <Forbidden scope={error.requiredScope} isAct={isAct} />;
  const { title, detail, requestId } = explained(error);
  return (
    <div className="callout bad" role="alert">
      <h2>{title}</h2>
      <p>{detail}</p>
      {requestId !== undefined && (
        <p className="hint">
          Request <span className="mono">{requestId}</span>
        </p>
      )}
      <div className="actions">
        {again !== undefined && (
          <button type="button" className="button" onClick={again}>
            Try again
          </button>
        )}
        <button
          type="button"
          className="button"
          onClick={() => void copy(`${title}\n${detail}\n${requestId ?? ''}`)}
        >
          Copy details
        </button>
      </div>
    </div>
  );
}

export function explained(error: unknown): { title: string; detail: string; requestId: string | undefined } {
  if (error instanceof NotFoundError)
    return { title: 'Not found', detail: error.detail, requestId: error.requestId };
  if (error instanceof ApiError)
    return { title: error.title, detail: detailOf(error), requestId: error.requestId };
  if (error instanceof ConnectionError)
    return {
      title: 'The service does not answer',
      // Of what was sent nobody knows here, and what was only read changes nothing.
      detail: 'Check your connection.',
      requestId: undefined,
    };
  const detail = error instanceof Error ? error.message : String(error);
  const requestId = error instanceof FirmquoteError ? error.requestId : undefined;
  return { title: 'Something went wrong', detail, requestId };
}

/** What went wrong in one line. Where the title says all of it, it is said once. */
export function inOneLine(error: unknown): string {
  const { title, detail, requestId } = explained(error);
  const said = detail === title || detail === `${title}.` ? `${title}.` : `${title}. ${detail}`;
  return requestId === undefined ? said : `${said} (${requestId})`;
}

export async function copy(text: string): Promise<void> {
  await navigator.clipboard?.writeText(text).catch(() => undefined);
}

export function Forbidden({
  scope,
  isAct = false,
}: {
  readonly scope?: string | undefined;
  readonly isAct?: boolean;
}) {
  return (
    <div className="callout warn" role={isAct ? 'alert' : undefined}>
      <h2>{isAct ? 'You may not do this' : 'You may not see this'}</h2>
      <p>
        {isAct && 'Nothing was done. '}
        {scope === undefined ? 'None of your roles permits it.' : `You need the right ${scope}.`} An
        administrator can give you a role that has it.
      </p>
    </div>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="callout">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

export function NotFound() {
  return (
    <>
      <div className="page-head">
        <h1>There is no such page</h1>
      </div>
      <div className="callout">
        <p>This service has no such address or id.</p>
        <Way className="button" to="/overview">
          Go to the overview
        </Way>
      </div>
    </>
  );
}

interface Known {
  readonly data: unknown;
  readonly error: unknown;
  readonly isFetching: boolean;
  readonly dataUpdatedAt: number;
  readonly refetch: () => Promise<unknown>;
}

/** What stands in place of what was asked for: it loads, failed, or may not be seen; undefined where it is there. */
export function stateOf({ data, error, refetch }: Known): ReactNode {
  // Who may not see it any more does not go on seeing it.
  if (data !== undefined && !(error instanceof PermissionError)) return undefined;
  return error === null ? <Loading /> : <Failure error={error} again={() => void refetch()} />;
}

/** That what is there is being read again, or could not be: then from when it is. */
export function Refreshed({ query, isQuiet = false }: { readonly query: Known; readonly isQuiet?: boolean }) {
  const { error, isFetching, dataUpdatedAt } = query;
  const since = new Date(dataUpdatedAt - Date.now() + operator.clock.now()).toISOString();
  return (
    <>
      {isFetching && !isQuiet && <div className="bar" aria-hidden="true" />}
      {error !== null && (
        <p className="wrong" role="status">
          This could not be refreshed. You see it as it was at <At at={since} />.
        </p>
      )}
    </>
  );
}

/** A query in one of its states: at first, failed, forbidden, there, being read again, and not as it is now. */
export function View<T>({
  query,
  children,
}: {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}) {
  const { data } = query;
  const state = stateOf(query);
  if (data === undefined || state !== undefined) return state;
  return (
    <>
      <Refreshed query={query} />
      {children(data)}
    </>
  );
}
