/**
 * `none` repeating cannot help; `after_fix` change the request first; `same_request` repeat it as it is (same
 * idempotency key); `new_quote` ask for a new quote; `later` repeat after the time the answer names.
 */
export type Retry = 'none' | 'after_fix' | 'same_request' | 'new_quote' | 'later';

export interface ProblemDefinition {
  readonly status: number;
  readonly title: string;
  readonly retry: Retry;
  /** What happened, and what the caller does next. One or two sentences, for the code's page. */
  readonly help: string;
}

/** Checks the form and keeps the codes as literal types. */
export function define<const T extends Record<string, ProblemDefinition>>(definitions: T): T {
  return definitions;
}
