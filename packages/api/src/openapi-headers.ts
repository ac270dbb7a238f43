import type { AnswerHeader } from './operation.ts';

type Json = Record<string, unknown>;

/** @param schema what it is besides a text */
function header(name: string, description: string, schema: Json = {}): Json {
  return { name, in: 'header', description, schema: { type: 'string', ...schema } };
}

const required = (given: Json): Json => ({ ...given, required: true });

const KEY = header(
  'Idempotency-Key',
  'Makes repeating the request safe: the same key gets the same response for 24 hours, for executions 7 days. A repeated response carries `Idempotency-Replayed: true`.',
  { minLength: 1, maxLength: 128 },
);
const WAIT = '`wait=N` holds the response for up to N seconds (at most 30) until there is something new.';
const SIGNATURE =
  '`signature`: the response carries `JWS-Signature`, a detached JWS (Ed25519) over its terms, and `Preference-Applied: signature`.';

/** Headers of requests that follow from what an operation is. */
export const HEADERS: Readonly<Record<string, Json>> = {
  IdempotencyKey: KEY,
  IdempotencyKeyRequired: required(KEY),
  Reason: header(
    'Firmquote-Reason',
    'The reason, for the second person where one is needed. Percent-encoded (UTF-8) unless it is ASCII.',
    { maxLength: 1500 },
  ),
  IfMatch: header(
    'If-Match',
    'The `ETag` that you read: the request is refused if the resource has changed since.',
  ),
  IfMatchRequired: required(
    header(
      'If-Match',
      'The `ETag` that you read, or `*`: the request is refused if the resource has changed since.',
    ),
  ),
  IfNoneMatch: header(
    'If-None-Match',
    'The `ETag` that you have: the response is 304 if nothing has changed.',
  ),
  LastEventId: header(
    'Last-Event-ID',
    'Id of the last event that you saw. The stream then begins with `resync`.',
  ),
  PreferWait: header('Prefer', WAIT),
  PreferWaitOrSignature: header('Prefer', `${WAIT} ${SIGNATURE}`),
  PreferSignature: header('Prefer', SIGNATURE),
};

const said = (description: string): Json => ({ description, schema: { type: 'string' } });

/** Headers of good answers, likewise. */
export const ANSWER_HEADERS: Readonly<Record<AnswerHeader, Json>> = {
  ETag: said('The version, for `If-Match` and `If-None-Match`.'),
  Location: said(
    'The address of what was created. Not every one can be read by itself: some are only in their list.',
  ),
  Link: said('The next page (RFC 8288), if any.'),
  'JWS-Signature': said('If requested: `<protected header>..<signature>`, RFC 7515 appendix F.'),
  'Preference-Applied': said('The preferences applied (RFC 7240).'),
  'Idempotency-Replayed': said('`true`: the response to the first request with this key.'),
  'Firmquote-Current-Status': said('With `Idempotency-Replayed`: the status now.'),
  'Firmquote-Valid-For-Ms': said(
    'With `Idempotency-Replayed`: milliseconds for which the quote can still be executed.',
  ),
};
