import type { Access, AnswerMedia, Operation, RatePolicy } from '@firmquote/api/operation';
import { STOPPED_WHEN_SUSPENDED } from '@firmquote/api/problem-codes';
import { sufficientScopes } from '@firmquote/api/scopes';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import type { Caller } from './context.ts';
import {
  addressOwner,
  bucketOwner,
  type Quota,
  type Quotas,
  quotaText,
  type RateDecision,
  type RateLimiter,
} from './rate-limits.ts';

/** What of a request a proof of possession is about (RFC 9449). */
export interface ProvenRequest {
  readonly method: string;
  /** From the slash on, as it was sent. */
  readonly url: string;
  readonly headers: { readonly dpop?: string | string[] | undefined };
}

/** Verifies tokens. Answers at once when the token is known already, which is the rule. */
export interface Authenticator {
  /**
   * @param authorization the `Authorization` header as sent
   * @param address of the peer, for allow-lists
   * @param request what a proof of possession is about; `rechecked` where a request that was let in goes on
   * @throws Problem token_missing, token_invalid, token_expired, ip_not_allowed
   */
  authenticate(
    authorization: string | undefined,
    address: string,
    audience: Access['audience'],
    request: ProvenRequest | 'rechecked',
  ): Caller | Promise<Caller>;
}

/** What of a request tells whose session it is. */
export type SessionRequest = Pick<FastifyRequest, 'headers' | 'method'> &
  Partial<Pick<FastifyRequest, 'claimedPersonId'>>;

/** Persons who have signed in with a browser. */
export interface SessionAccess {
  /**
   * @param rechecked where a request that was let in goes on: that is no use of the session
   * @returns undefined where the request carries no session
   * @throws Problem token_invalid, token_expired, cross_site_request
   */
  authenticate(request: SessionRequest, rechecked?: 'rechecked'): Caller | Promise<Caller> | undefined;
  /** @throws Problem fresh_sign_in_required */
  requireFresh(caller: Caller): void;
}

/** What the HTTP layer must know of a customer on each call. */
export interface CustomerAccess {
  readonly status: 'active' | 'suspended';
  readonly quotas: Quotas;
}
export interface CustomerAccessDirectory {
  /** @throws Problem when the customer is gone. At most five seconds old. */
  access(customerId: string): CustomerAccess | Promise<CustomerAccess>;
}

export interface AccessOptions {
  /** Of business. */
  readonly clock: Clock;
  readonly authenticator: Authenticator;
  /** None where only programs call. */
  readonly sessions?: SessionAccess | undefined;
  readonly customers: CustomerAccessDirectory;
  readonly limiter: RateLimiter;
  /** Requests without a caller, and refused ones, of one address. */
  readonly perAddress: Quota;
}

/** Of pages and metrics. */
const NO_OPERATION: Pick<Operation, 'access' | 'media' | 'rate'> = Object.freeze({});

/** Token, rate limit, scope and suspension, in this order, before the body is read; all but the limit again when it comes late. */
export function guardAccess(app: FastifyInstance, options: AccessOptions): void {
  app.decorate('readmission', (request: FastifyRequest) => readmission(options, request));
  app.decorateRequest('caller', undefined);
  app.decorateRequest('notModified', undefined);
  app.decorateRequest('answeredAfterMs', undefined);
  app.addHook('onRequest', (request, reply, done) => {
    // Made anew by each access of `routeOptions`.
    const { access, media, rate = 'reads' } = request.routeOptions.config.operation ?? NO_OPERATION;
    if (access === undefined) {
      done(rate === 'unlimited' ? undefined : countAddress(request, reply, 'public', options));
      return;
    }
    try {
      requireAcceptable(request.headers.accept, media);
      const caller = callerOf(request, access, options);
      if (caller instanceof Promise) {
        caller
          .then((found) => admit(request, reply, found, access, rate, options))
          .then(
            () => done(),
            (error: Error) => done(refusal(error, request, reply, options)),
          );
        return;
      }
      const admitted = admit(request, reply, caller, access, rate, options);
      if (admitted instanceof Promise) admitted.then(() => done(), done);
      else done();
    } catch (error) {
      done(refusal(error as Error, request, reply, options));
    }
  });
  app.addHook('preValidation', (request, reply, done) => {
    const refused = (error: Error) => done(refusal(error, request, reply, options));
    try {
      const admitted = admitWithBody(request, options);
      if (admitted instanceof Promise) admitted.then(() => done(), refused);
      else done();
    } catch (error) {
      refused(error as Error);
    }
  });
}

function callerOf(
  request: FastifyRequest,
  { audience }: Access,
  { authenticator, sessions }: AccessOptions,
): Caller | Promise<Caller> {
  const { authorization, cookie } = request.headers;
  const session =
    audience === 'operator' && cookie !== undefined ? sessions?.authenticate(request) : undefined;
  return (
    session ?? authenticator.authenticate(authorization, request.ip, audience, request.raw as ProvenRequest)
  );
}

/** Requests without a known caller are counted by the address that they come from. */
export function countAddress(
  request: FastifyRequest,
  reply: FastifyReply,
  policy: 'public' | 'refused',
  { limiter, perAddress }: Pick<AccessOptions, 'limiter' | 'perAddress'>,
): Problem | undefined {
  // An operator, who has no other limit, is counted by itself: it may share its address with others.
  const decision = limiter.take(request.caller?.actor.id ?? addressOwner(request.ip), policy, perAddress);
  reply
    .header('RateLimit-Policy', quotaText(policy, perAddress, limiter.instances))
    .header('RateLimit', `"${policy}";r=${decision.remaining};t=${decision.resetSeconds}`);
  return decision.allowed ? undefined : rateLimited(decision);
}

/** Who guesses at tokens, or knocks at what is not for it, is slowed down; a customer's requests have been counted. */
function refusal(error: Error, request: FastifyRequest, reply: FastifyReply, options: AccessOptions): Error {
  if (request.caller?.customerId !== undefined) return error;
  return countAddress(request, reply, 'refused', options) ?? error;
}

const JSON_RANGE = /^\s*(\*\/\*|application\/(\*|json))\s*(;|$)/i;
const REFUSED = /;\s*q=0(\.0{0,3})?\s*(;|$)/i;

/** Whether an `Accept` header takes what this API gives (RFC 9110 §12.5.1). */
function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*' || accept === 'application/json' || accept === '') return true;
  return accept.split(',').some((range) => JSON_RANGE.test(range) && !REFUSED.test(range));
}

const EVENT_STREAM_RANGE = /^\s*(\*\/\*|text\/(\*|event-stream))\s*(;|$)/i;

function acceptsEventStream(accept: string | undefined): boolean {
  if (accept === undefined || accept === '') return true;
  return accept.split(',').some((range) => EVENT_STREAM_RANGE.test(range) && !REFUSED.test(range));
}

function requireAcceptable(accept: string | undefined, answers: AnswerMedia = 'json'): void {
  if (answers === 'anything') return;
  if (answers !== 'event-stream' && acceptsJson(accept)) return;
  if (answers !== 'json' && acceptsEventStream(accept)) return;
  const media = answers === 'json' ? 'application/json' : 'text/event-stream';
  throw new Problem(
    'not_acceptable',
    `Answers are ${answers === 'json-or-event-stream' ? 'application/json or ' : ''}${media}.`,
  );
}

/** Where both are possible, a stream is given to those who take it and do not take JSON. */
export function wantsEventStream(accept: string | undefined): boolean {
  return !acceptsJson(accept) && acceptsEventStream(accept);
}

function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  access: Access,
  policy: RatePolicy,
  options: AccessOptions,
): void | Promise<void> {
  request.caller = caller;
  if (caller.customerId === undefined) {
    requireScope(caller, access, request);
    if (access.fresh === true) options.sessions?.requireFresh(caller);
    return;
  }
  // Counted before it can be refused, so that refusals have a limit too.
  const customer = options.customers.access(caller.customerId);
  const admitted = (found: CustomerAccess) => {
    count(request, reply, caller, found, policy, options.limiter);
    requireScope(caller, access, request);
    requireNotSuspended(found, policy);
  };
  return customer instanceof Promise ? customer.then(admitted) : admitted(customer);
}

/** Both audiences may be one address: then the scopes say whose a token is. */
function isOf(audience: Access['audience'], scopes: Caller['scopes']): boolean {
  return [...scopes].some((scope) => scope.startsWith('operator:') === (audience === 'operator'));
}

function requireScope(
  { scopes }: Caller,
  { audience, scope, anyScope }: Access,
  request: FastifyRequest,
): void {
  if (scopes.has(scope) || (anyScope === true && isOf(audience, scopes))) return;
  if (audience === 'operator' && (scopes.has('operator:*') || mayRead(scopes, request))) return;
  throw new Problem('insufficient_scope', `The token lacks the scope ${scope}.`, {
    members: { requiredScope: scope },
    headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  });
}

/**
 * For a request that goes on after it was let in. The one who asks may be gone by then, and with it its address.
 * @returns looks again; throws the problem that the request would get now
 */
export function readmission(
  { authenticator, sessions }: Pick<AccessOptions, 'authenticator' | 'sessions'>,
  request: FastifyRequest,
): () => Caller | Promise<Caller> {
  const { access } = request.routeOptions.config.operation ?? NO_OPERATION;
  const { authorization, cookie } = request.headers;
  const address = request.ip;
  const audience = access?.audience ?? 'customer';
  const permitted = (caller: Caller): Caller => {
    if (access !== undefined) requireScope(caller, access, request);
    return caller;
  };
  return () => {
    const session =
      audience === 'operator' && cookie !== undefined
        ? sessions?.authenticate(request, 'rechecked')
        : undefined;
    const caller = session ?? authenticator.authenticate(authorization, address, audience, 'rechecked');
    return caller instanceof Promise ? caller.then(permitted) : permitted(caller);
  };
}

/** A body that comes within this time has come with its head, ms: it is much less than what a suspension takes to be known everywhere. */
const BODY_SOON_MS = 250;

/**
 * Once the body is there, whoever has sent it is looked at again. A head is let in at once, and a body may take half a minute: without this
 * a client that was suspended meanwhile would trade with requests that it had begun before.
 */
function admitWithBody(request: FastifyRequest, options: AccessOptions): void | Promise<void> {
  if (options.clock.now() - request.receivedAt < BODY_SOON_MS) return undefined;
  const { access, rate = 'reads' } = request.routeOptions.config.operation ?? NO_OPERATION;
  if (access === undefined || request.method === 'GET' || request.method === 'HEAD') return undefined;
  const admitted = (caller: Caller): void | Promise<void> => {
    request.caller = caller;
    if (caller.customerId === undefined) return undefined;
    const customer = options.customers.access(caller.customerId);
    if (customer instanceof Promise) return customer.then((found) => requireNotSuspended(found, rate));
    return requireNotSuspended(customer, rate);
  };
  const caller = readmission(options, request)();
  return caller instanceof Promise ? caller.then(admitted) : admitted(caller);
}

function mayRead(scopes: ReadonlySet<string>, { routeOptions }: FastifyRequest): boolean {
  const { operation } = routeOptions.config;
  return operation !== undefined && sufficientScopes(operation).some((scope) => scopes.has(scope));
}

function requireNotSuspended({ status }: CustomerAccess, policy: RatePolicy): void {
  if (status !== 'suspended' || !STOPPED_WHEN_SUSPENDED.has(policy)) return;
  throw new Problem('customer_suspended', 'The customer is suspended; it can neither quote nor execute.');
}

function count(
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller,
  customer: CustomerAccess,
  policy: RatePolicy,
  limiter: RateLimiter,
): void {
  if (policy === 'unlimited') return;
  const owner = bucketOwner(caller);
  // Executing and cancelling have a bucket of their own: polling never blocks a trade.
  const overall = policy === 'execute' ? undefined : limiter.take(owner, 'all', customer.quotas.all);
  const own = overall?.allowed === false ? overall : limiter.take(owner, policy, customer.quotas[policy]);
  tellQuota(reply, customer.quotas, policy, own, limiter);
  if (!own.allowed) throw rateLimited(own);
  if (policy === 'reads') {
    request.notModified = () => {
      limiter.giveBack(owner, 'reads');
      limiter.giveBack(owner, 'all');
      const revalidation = limiter.take(owner, 'revalidation', customer.quotas.revalidation);
      tellQuota(reply, customer.quotas, 'revalidation', revalidation, limiter);
      if (!revalidation.allowed) throw rateLimited(revalidation);
    };
  }
}

function tellQuota(
  reply: FastifyReply,
  quotas: Quotas,
  policy: keyof Quotas,
  taken: RateDecision,
  { instances }: RateLimiter,
): void {
  reply.header('RateLimit-Policy', policyHeader(quotas, policy, instances));
  reply.header('RateLimit', `"${taken.policy}";r=${taken.remaining};t=${taken.resetSeconds}`);
}

export function rateLimited(decision: RateDecision): Problem {
  return new Problem(
    'rate_limited',
    `The quota "${decision.policy}" is used up for ${decision.resetSeconds} s.`,
    {
      members: { 'violated-policies': [decision.policy] },
      headers: { 'Retry-After': String(decision.resetSeconds) },
    },
  );
}

interface KnownHeaders {
  readonly instances: number;
  readonly byPolicy: Map<string, string>;
}

const policyHeaders = new WeakMap<Quotas, KnownHeaders>();
/** What the quota of everything does not count. */
const APART: ReadonlySet<keyof Quotas> = new Set(['execute', 'revalidation']);

function policyHeader(quotas: Quotas, policy: keyof Quotas, instances: number): string {
  let known = policyHeaders.get(quotas);
  if (known?.instances !== instances) {
    known = { instances, byPolicy: new Map() };
    policyHeaders.set(quotas, known);
  }
  let header = known.byPolicy.get(policy);
  if (header === undefined) {
    header = quotaText(policy, quotas[policy], instances);
    if (!APART.has(policy)) header += `, ${quotaText('all', quotas.all, instances)}`;
    known.byPolicy.set(policy, header);
  }
  return header;
}
