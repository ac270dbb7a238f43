import { invalidClient, invalidRequest, OAuthError } from './oauth-error.ts';

/** How the client proves who it is; exactly one of these. */
export type Credentials =
  | { readonly method: 'secret'; readonly clientId: string; readonly secret: string }
  | { readonly method: 'assertion'; readonly clientId: string | undefined; readonly assertion: string };

export interface TokenRequest {
  readonly credentials: Credentials;
  readonly audience: string;
  readonly scope: string | undefined;
}

export type BodyFormat = 'json' | 'form';

/** What the token endpoint reads from a body. RFC 6749 §3.2 has it ignore everything else. */
export const PARAMETERS = [
  'grant_type',
  'client_id',
  'client_secret',
  'audience',
  'resource',
  'scope',
  'client_assertion',
  'client_assertion_type',
  'token',
] as const;
type Parameter = (typeof PARAMETERS)[number];
type Parameters = ReadonlyMap<string, string>;

/** Of a token request as JSON. */
const REQUIRED = ['client_id', 'client_secret', 'audience', 'grant_type'] as const;

export const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * Reads a token request: JSON with its four required fields, or a form as RFC 6749 §4.4 has it. OAuth libraries that do
 * not know `audience` say the same with `resource` (RFC 8707).
 * @throws OAuthError invalid_request, unsupported_grant_type, invalid_client
 */
export function parseTokenRequest(
  format: BodyFormat,
  body: string,
  authorization: string | undefined,
): TokenRequest {
  const parameters = format === 'json' ? parseJson(body) : parseForm(body);
  const credentials = selectCredentials(parameters, authorization, format, REQUIRED);
  const grantType = parameters.get('grant_type');
  if (grantType === undefined) throw missingParameters(['grant_type']);
  if (grantType !== 'client_credentials') {
    throw new OAuthError('unsupported_grant_type', 'The only supported grant type is client_credentials.');
  }
  const resource = parameters.get('resource');
  const audience = parameters.get('audience') ?? resource;
  if (audience === undefined) throw missingParameters(['audience']);
  if (resource !== undefined && resource !== audience) {
    throw invalidRequest('audience and resource must be the same.');
  }
  return { credentials, audience, scope: parameters.get('scope') };
}

/** A question about a token, at the endpoints of RFC 7009 and RFC 7662. */
export interface TokenQuestion {
  readonly credentials: Credentials;
  readonly token: string;
}

/** @throws OAuthError invalid_request, invalid_client */
export function parseTokenQuestion(
  format: BodyFormat,
  body: string,
  authorization: string | undefined,
): TokenQuestion {
  const parameters = format === 'json' ? parseJson(body) : parseForm(body);
  const required = ['client_id', 'client_secret', 'token'] as const;
  const credentials = selectCredentials(parameters, authorization, format, required);
  const token = parameters.get('token');
  if (token === undefined) throw missingParameters(['token']);
  return { credentials, token };
}

function missingParameters(names: readonly Parameter[]): OAuthError {
  return invalidRequest(`Required but missing: ${names.join(', ')}.`);
}

/** A parameter without a value counts as not given (RFC 6749 §3.1). */
function withoutEmpty(entries: Iterable<readonly [string, string]>): Map<string, string> {
  return new Map([...entries].filter(([, value]) => value !== ''));
}

function parseForm(body: string): Parameters {
  const form = new URLSearchParams(body);
  const seen = new Set<string>();
  for (const name of form.keys()) {
    if (seen.has(name)) throw invalidRequest('A parameter is given twice.');
    seen.add(name);
  }
  return withoutEmpty(form);
}

function parseJson(body: string): Parameters {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw invalidRequest('The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidRequest('The body must be one JSON object.');
  }
  const entries = Object.entries(value);
  for (const [, member] of entries) {
    if (typeof member !== 'string') throw invalidRequest('Every parameter must be a JSON string.');
  }
  // JSON.parse keeps the last of two members with one name. In an object of strings, each member is two string
  // tokens; a member that was given twice leaves more of them than there are members.
  const tokens = body.match(/"(?:[^"\\]|\\.)*"/g)?.length ?? 0;
  if (tokens !== entries.length * 2) throw invalidRequest('A parameter is given twice.');
  return withoutEmpty(entries as [string, string][]);
}

/** Exactly one authentication method (RFC 6749 §2.3). */
function selectCredentials(
  parameters: Parameters,
  authorization: string | undefined,
  format: BodyFormat,
  required: readonly Parameter[],
): Credentials {
  const clientId = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  const assertion = parameters.get('client_assertion');
  const assertionType = parameters.get('client_assertion_type');
  const methods = [authorization, secret, assertion ?? assertionType].filter((value) => value !== undefined);
  if (methods.length > 1) throw invalidRequest('Use one method of client authentication, not several.');
  if (authorization !== undefined) return basicCredentials(authorization, clientId);
  if (assertion !== undefined || assertionType !== undefined) {
    if (assertion === undefined) throw missingParameters(['client_assertion']);
    if (assertionType !== JWT_BEARER) throw invalidRequest(`client_assertion_type must be ${JWT_BEARER}.`);
    return { method: 'assertion', clientId, assertion };
  }
  if (clientId !== undefined && secret !== undefined) return { method: 'secret', clientId, secret };
  // JSON: the fields are required as such. Form: a request without authentication (RFC 6749 §5.2).
  if (format === 'form') throw new OAuthError('invalid_client', 'The client did not authenticate.');
  throw missingParameters(required.filter((name) => !parameters.has(name)));
}

/** RFC 6749 §2.3.1: id and secret are form-encoded before they are joined, so a ':' in the secret is data. */
function basicCredentials(header: string, claimedId: string | undefined): Credentials {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header)?.[1];
  const text = encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const clientId = colon < 0 ? undefined : formDecode(text.slice(0, colon));
  const secret = colon < 0 ? undefined : formDecode(text.slice(colon + 1));
  if (!clientId || !secret) throw invalidClient();
  if (claimedId !== undefined && claimedId !== clientId) {
    throw invalidRequest('client_id is not the authenticated client.');
  }
  return { method: 'secret', clientId, secret };
}

function formDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
