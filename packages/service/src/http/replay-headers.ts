/** What is true when an answer is given again. */
export interface CurrentState {
  readonly status: string;
  /** Milliseconds that a quote can still be executed. */
  readonly validForMs?: number;
}

/** Mark an answer that is given again. Its body is the first one's; what has changed since is only in these headers. */
export function replayHeaders({ status, validForMs }: CurrentState): Record<string, string> {
  return {
    'Idempotency-Replayed': 'true',
    'Firmquote-Current-Status': status,
    ...(validForMs !== undefined && { 'Firmquote-Valid-For-Ms': String(validForMs) }),
  };
}
