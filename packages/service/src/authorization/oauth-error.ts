import type { OAUTH_ERRORS } from '@firmquote/api/operations/authorization';

export type OAuthErrorCode = (typeof OAUTH_ERRORS)[number];

/** A refusal of the token endpoint, sent as `{"error","error_description"}`. The message never holds a secret. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Who asked, as far as it has the form of an id: anything else may be a secret in the wrong place. For the log. */
  clientId: string | undefined;

  constructor(
    code: OAuthErrorCode,
    description: string,
    options: { status?: number; headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(description, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'OAuthError';
    this.code = code;
    this.status = options.status ?? (code === 'invalid_client' ? 401 : 400);
    this.headers = options.headers ?? {};
  }

  toBody(): { error: OAuthErrorCode; error_description: string } {
    return { error: this.code, error_description: this.message };
  }
}

/** One text for every way in which credentials can be wrong, so that it says nothing about which. */
export function invalidClient(cause?: unknown): OAuthError {
  return new OAuthError('invalid_client', 'Client authentication failed.', { cause });
}

export function invalidRequest(description: string, status = 400): OAuthError {
  return new OAuthError('invalid_request', description, { status });
}
