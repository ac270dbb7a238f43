import type { Server } from 'node:http';
import type { Operation } from '@firmquote/api/operation';
import type { FastifyRequest } from 'fastify';
import type { Act } from '../database/acting.ts';
import type { Logger } from '../platform/logger.ts';
import { Problem } from '../problems/problem.ts';
import type { CommandDesk } from './command-desk.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type { ListTurnsOf } from './list-turns.ts';
import type { CursorCodec } from './paging.ts';

/** Who acts: somebody who has signed in, or a program with an OAuth client. */
export interface Actor {
  readonly kind: 'person' | 'client';
  /** UUID; that of a person and that of a client differ (`actorId`). */
  readonly id: string;
}

/** Who calls, as the verified token or session says. */
export interface Caller {
  readonly actor: Actor;
  /** UUID of the pair of eyes: the person, or the one who answers for the client. Undefined where nobody does. */
  readonly personId: string | undefined;
  /** Of the access token (`jti`), or of the session. */
  readonly tokenId: string;
  /** When a person has signed in last, real time, epoch milliseconds. */
  readonly authenticatedAt?: number;
  /** UUID of the customer that the client belongs to; undefined for operators. */
  readonly customerId: string | undefined;
  readonly scopes: ReadonlySet<string>;
}

/** What serving any operation takes. */
export interface Kit {
  readonly idempotency: IdempotencyStore;
  readonly cursors: CursorCodec;
  /** In which lists are made; without them, all at once. */
  readonly lists?: ListTurnsOf;
  /** Decides which commands take a second person; without one, none does but for what rooms say. */
  readonly desk?: CommandDesk;
  /** Writes down what was done without a transaction of its own that would have. */
  readonly recordAct: (act: Act) => Promise<unknown>;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** For what the operator must hear of; Fastify's own logger is off. */
    readonly logger: Logger;
    /** The listener for what is not for customers, where there is one. */
    readonly insideServer: Server | undefined;
    /** What every operation needs of the server (`serve.ts`). */
    readonly kit: Kit;
    /** Looks again whether who asks may still do so, for what goes on after a request was let in (`access.ts`). */
    readonly readmission: (request: FastifyRequest) => () => Caller | Promise<Caller>;
    /** Compiles the schemas that no request has needed yet (`lazy-schemas.ts`). */
    readonly compileSchemas: (pause: () => Promise<void>) => Promise<void>;
    /** Makes the documentation ready, where it is served. */
    readonly prepareDocumentation: (() => Promise<unknown>) | undefined;
  }
  interface FastifyRequest {
    /** Business time at which the request head reached the process. */
    receivedAt: number;
    caller: Caller | undefined;
    /** Counts the request as a revalidation instead of a read; set for customers. */
    notModified: (() => void) | undefined;
    /** Time to the head of an answer that goes on for as long as its reader stays; set for streams. */
    answeredAfterMs: number | undefined;
    /** `cli_…` that a request for a token says it comes from. */
    claimedClientId: string | undefined;
    /** UUID of the person whose session a request carries, also where it is refused. */
    claimedPersonId: string | undefined;
    /** Of the problem that was answered, if one was. */
    problemCode: string | undefined;
  }
  interface FastifyContextConfig {
    /** What the route serves. */
    operation?: Operation;
  }
}

/** The customer whose token this is. Routes under `/v1/customer` always have one. */
export function customerOf(request: FastifyRequest): { customerId: string; clientId: string } {
  const caller = request.caller;
  if (!caller?.customerId) throw new Problem('token_invalid', 'The token does not belong to a customer.');
  return { customerId: caller.customerId, clientId: caller.actor.id };
}
