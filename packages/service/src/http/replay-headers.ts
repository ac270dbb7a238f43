import type { FastifyReply } from 'fastify';

/** What is true when an answer is given again. */
export interface CurrentState {
  readonly status: string;
  /** Milliseconds that a quote can still be executed. */
  readonly validForMs?: number;
}

/** Marks an answer that is given again. Its body is the first one's; what has changed since is only in these headers. */
export function replayHeaders(reply: FastifyReply, now: CurrentState): void {
  reply.header('Idempotency-Replayed', 'true').header('Firmquote-Current-Status', now.status);
  if (now.validForMs !== undefined) reply.header('Firmquote-Valid-For-Ms', String(now.validForMs));
}
