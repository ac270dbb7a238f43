import type { Operation } from '@firmquote/api/operation';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Queryable } from '../database/pool.ts';
import { validationProblem } from '../problems/problem.ts';
import type { Caller } from './context.ts';
import type { Result } from './serve.ts';

/** A command as it came, so that it can be kept and done later. */
export interface RawCommand {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly ifMatch: string | undefined;
  /** For the second person. */
  readonly reason?: string | undefined;
  /** What a trial has made that cannot be made twice, such as the hash of a secret that was shown. */
  readonly carried?: Readonly<Record<string, string>> | undefined;
  /** Of a command that is done because a second person has approved it. */
  readonly approval?: GivenApproval | undefined;
}

/** The approval that a command is done by. UUIDs. */
interface GivenApproval {
  readonly id: string;
  readonly approvedBy: string;
}

/** An operation as a server has it. */
export interface ServedOperation {
  readonly operation: Operation;
  /** Does it as if it had just come from this caller; its answer is kept nowhere. */
  run(command: RawCommand, caller: Caller, now: number): Promise<Result>;
}

/** A command that is under way. */
export interface CommandUnderWay {
  readonly operation: Operation;
  readonly command: RawCommand;
  readonly caller: Caller;
  /** The instant that its ids carry. */
  readonly receivedAt: number;
  readonly keep: (connection: Queryable, result: Result) => Promise<void>;
}

/** Decides what becomes of commands: done at once, or written down for a second person. */
export interface CommandDesk {
  add(served: ServedOperation): void;
  judges(operationId: string): boolean;
  do(underWay: CommandUnderWay, work: () => Promise<Result>): Promise<Result>;
}

export function rawCommandOf(request: FastifyRequest): RawCommand {
  const { params, query, body, headers } = request;
  return {
    params: params as RawCommand['params'],
    query: query as RawCommand['query'],
    body,
    ifMatch: headers['if-match'],
    reason: reasonIn(headers['firmquote-reason']),
  };
}

/** @throws Problem validation_failed */
function reasonIn(header: string | readonly string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header.trim() === '') return undefined;
  // Bytes beyond ASCII are in a coding that nobody knows.
  const reason = /^[\x20-\x7e]*$/.test(header) ? decoded(header).trim() : '';
  if (reason !== '' && reason.length <= REASON_MAX && !/[\p{Cc}\p{Cs}]/u.test(reason)) return reason;
  const detail = `must be one line of at most ${REASON_MAX} characters, with non-ASCII characters percent-encoded`;
  throw validationProblem([{ pointer: '/header/Firmquote-Reason', code: 'wrong_format', detail }]);
}

/** What is ASCII need not be encoded: then a percent sign is one. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const REASON_MAX = 500; // limit: Characters of the reason of a proposal

/** A request that carries a command again, for handlers that look at it. */
export function requestOf(
  { params, query, body, ifMatch }: RawCommand,
  caller: Caller,
  operation: Operation,
  receivedAt: number,
  server: FastifyInstance,
): FastifyRequest {
  const headers = ifMatch === undefined ? {} : { 'if-match': ifMatch };
  const url = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  return { params, query, body, headers, caller, url, receivedAt, server } as unknown as FastifyRequest;
}
