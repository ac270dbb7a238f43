import type { FastifyRequest } from 'fastify';

/** version-traceId-parentId-flags, and more of it in later versions (https://www.w3.org/TR/trace-context/#traceparent-header). */
const TRACE_PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const INVALID_VERSION = 'ff';
const NOTHING = /^0+$/;

/** The trace that a caller's request belongs to. */
export interface Trace {
  readonly traceId: string;
  /** The caller's span: what the request was sent from. */
  readonly parentId: string;
}

/** @param header `traceparent` as sent; a wrong one is as if there were none */
export function readTrace(header: string | string[] | undefined): Trace | undefined {
  const [, version, traceId = '', parentId = '', , more] = TRACE_PARENT.exec(String(header ?? '')) ?? [];
  if (version === undefined || version === INVALID_VERSION) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  return NOTHING.test(traceId) || NOTHING.test(parentId) ? undefined : { traceId, parentId };
}

/** How every line of the log that is about a request names it. Read only when there is something to write. */
export function loggedRequest({ id, headers }: Pick<FastifyRequest, 'id' | 'headers'>): {
  readonly requestId: string;
  readonly traceId?: string;
  readonly parentId?: string;
} {
  return { requestId: id, ...readTrace(headers.traceparent) };
}
