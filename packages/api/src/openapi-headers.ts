import type { AnswerHeader } from './operation.ts';

type Json = Record<string, unknown>;

const KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes repeating the request safe: the same key gets the same response for 24 hours, for executions 7 days. A repeated response carries `Idempotency-Replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: 128 },
};

/** Headers of requests that follow from what an operation is. */
export const HEADERS: Readonly<Record<string, Json>> = {
  IdempotencyKey: KEY,
  IdempotencyKeyRequired: { ...KEY, required: true },
  Reason: {
    name: 'Firmquote-Reason',
    in: 'header',
    description:
      'The reason, for the second person where one is needed. Percent-encoded (UTF-8) unless it is ASCII.',
    schema: { type: 'string', maxLength: 1500 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The `ETag` that you read: the request is refused if the resource has changed since.',
    schema: { type: 'string' },
  },
  IfMatchRequired: {
    name: 'If-Match',
    in: 'header',
    required: true,
    description:
      'The `ETag` that you read, or `*`: the request is refused if the resource has changed since.',
    schema: { type: 'string' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` that you have: the response is 304 if nothing has changed.',
    schema: { type: 'string' },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Id of the last event that you saw. The stream then begins with `resync`.',
    schema: { type: 'string' },
  },
  PreferWait: {
    name: 'Prefer',
    in: 'header',
    description: '`wait=N` holds the response for up to N seconds (at most 30) until there is something new.',
    schema: { type: 'string' },
  },
  PreferWaitOrSignature: {
    name: 'Prefer',
    in: 'header',
    description:
      '`wait=N` holds the response for up to N seconds (at most 30) until there is something new. `signature`: the response carries `JWS-Signature`, a detached JWS (Ed25519) over its terms, and `Preference-Applied: signature`.',
    schema: { type: 'string' },
  },
  PreferSignature: {
    name: 'Prefer',
    in: 'header',
    description:
      '`signature`: the response carries `JWS-Signature`, a detached JWS (Ed25519) over its terms, and `Preference-Applied: signature`.',
    schema: { type: 'string' },
  },
};

/** Headers of good answers, likewise. */
export const ANSWER_HEADERS: Readonly<Record<AnswerHeader, Json>> = {
  ETag: { description: 'The version, for `If-Match` and `If-None-Match`.', schema: { type: 'string' } },
  Location: { description: 'Where to read what was created.', schema: { type: 'string' } },
  Link: { description: 'The next page (RFC 8288), if any.', schema: { type: 'string' } },
  'JWS-Signature': {
    description: 'If requested: `<protected header>..<signature>`, RFC 7515 appendix F.',
    schema: { type: 'string' },
  },
  'Preference-Applied': {
    description: 'The preferences applied (RFC 7240).',
    schema: { type: 'string' },
  },
  'Idempotency-Replayed': {
    description: '`true`: the response to the first request with this key.',
    schema: { type: 'string' },
  },
  'Firmquote-Current-Status': {
    description: 'With `Idempotency-Replayed`: the status now.',
    schema: { type: 'string' },
  },
  'Firmquote-Valid-For-Ms': {
    description: 'With `Idempotency-Replayed`: milliseconds for which the quote can still be executed.',
    schema: { type: 'string' },
  },
};
