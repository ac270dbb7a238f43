import { ApiError, ConnectionError, FirmquoteError, NotFoundError, PermissionError } from '@firmquote/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';

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
}: {
  readonly error: unknown;
  readonly again?: (() => void) | undefined;
}) {
  if (error instanceof PermissionError && error.code !== 'fresh_sign_in_required')
    return <Forbidden scope={error.requiredScope} />;
  const { title, detail, requestId } = told(error);
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

export function told(error: unknown): { title: string; detail: string; requestId: string | undefined } {
  if (error instanceof NotFoundError)
    return { title: 'There is no such thing', detail: error.detail, requestId: error.requestId };
  if (error instanceof ApiError)
    return { title: error.title, detail: error.detail, requestId: error.requestId };
  if (error instanceof ConnectionError)
    return {
      title: 'The service does not answer',
      detail: 'Look at your connection. Nothing was changed.',
      requestId: undefined,
    };
  const detail = error instanceof Error ? error.message : String(error);
  const requestId = error instanceof FirmquoteError ? error.requestId : undefined;
  return { title: 'Something went wrong', detail, requestId };
}

export async function copy(text: string): Promise<void> {
  await navigator.clipboard?.writeText(text).catch(() => undefined);
}

export function Forbidden({ scope }: { readonly scope?: string | undefined }) {
  return (
    <div className="callout warn">
      <h2>You may not see this</h2>
      <p>
        {scope === undefined ? 'None of your roles permits it.' : `It takes the right ${scope}.`} An
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
        <p>The address or the id is not one of this service.</p>
        <Link className="button" to="/overview">
          Go to the overview
        </Link>
      </div>
    </>
  );
}

/** A query in one of its states: at first, failed, there, and being read again. */
export function View<T>({
  query,
  children,
}: {
  readonly query: UseQueryResult<T>;
  readonly children: (data: T) => ReactNode;
}) {
  const { data, error, isFetching, refetch } = query;
  // Who may not see it any more does not go on seeing it.
  if (data === undefined || error instanceof PermissionError)
    return error === null ? <Loading /> : <Failure error={error} again={() => void refetch()} />;
  return (
    <>
      {isFetching && <div className="bar" aria-hidden="true" />}
      {error !== null && (
        <p className="wrong" role="status">
          This could not be read again; it is as it was before.
        </p>
      )}
      {children(data)}
    </>
  );
}
