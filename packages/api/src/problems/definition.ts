export type Retry = 'none' | 'after_fix' | 'same_request' | 'new_quote' | 'later';

/** What each retry class asks of the caller. */
export const RETRY_HELP: Readonly<Record<Retry, string>> = {
  none: 'Repeating the request cannot help.',
  after_fix: 'Change the request, then send it again.',
  same_request: 'Send the same request again, with the same idempotency key.',
  new_quote: 'Ask for a new quote.',
  later: 'Send the request again later; Retry-After or a member of the problem says when.',
};

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
