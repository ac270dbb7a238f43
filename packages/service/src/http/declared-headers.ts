import type { KeyUse, Operation } from '@firmquote/api/operation';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../problems/problem.ts';
import { ifNoneMatch, parseIfMatch, preferredWait } from './conditional.ts';
import { type RequestKey, requestKeyOf } from './idempotency.ts';
import { preferenceOf, prefers, SIGNATURE_PREFERENCE } from './preferences.ts';

/** Undefined where none was sent, which an operation that needs one refuses. */
export type DeclaredKey<O extends Operation> = [Extract<O['key'], KeyUse>] extends [never]
  ? undefined
  : RequestKey | (O['needsKey'] extends true ? never : undefined);

/** Undefined where none was sent, which an operation that requires one refuses. */
export type DeclaredMatch<O extends Operation> = [Extract<O['conditional'], string>] extends [never]
  ? undefined
  : number | '*' | (O['conditional'] extends 'required' ? never : undefined);

/**
 * The key, the conditions and the preferences of a request, as its operation declares them. Each is read, and may be refused, when
 * it is asked for. One that is not declared counts as not sent.
 */
export class DeclaredHeaders<O extends Operation> {
  readonly #operation: Operation;
  readonly #request: FastifyRequest;

  constructor(operation: O, request: FastifyRequest) {
    this.#operation = operation;
    this.#request = request;
  }

  /**
   * Of `Idempotency-Key`.
   * @throws Problem idempotency_key_invalid, idempotency_key_required
   */
  get key(): DeclaredKey<O> {
    const { key, needsKey } = this.#operation;
    const found = key === undefined ? undefined : requestKeyOf(this.#request, needsKey === true);
    return found as DeclaredKey<O>;
  }

  /**
   * Of `If-Match`.
   * @throws Problem precondition_required, validation_failed
   */
  get ifMatch(): DeclaredMatch<O> {
    const { conditional } = this.#operation;
    const ifMatch = conditional === undefined ? undefined : parseIfMatch(this.#request.headers['if-match']);
    if (ifMatch === undefined && conditional === 'required') {
      throw new Problem('precondition_required', 'Send the ETag of what you have read as If-Match.');
    }
    return ifMatch as DeclaredMatch<O>;
  }

  /** Whether the caller has this version (`If-None-Match`), so that the answer is 304. */
  has(version: number): boolean {
    return (
      this.#operation.revalidates === true && ifNoneMatch(this.#request.headers['if-none-match'], version)
    );
  }

  /** What `Last-Event-ID` says, whatever its form. */
  get lastEventId(): string | undefined {
    if (this.#operation.resumes !== true) return undefined;
    const given = this.#request.headers['last-event-id'];
    return Array.isArray(given) ? given.join() : given;
  }

  /** Seconds that the answer may be held (`Prefer: wait`). */
  get wait(): number | undefined {
    return this.#operation.waits === true ? preferredWait(preferenceOf(this.#request)) : undefined;
  }

  /** Whether the terms of the answer are to be signed (`Prefer: signature`). Costs nothing for those who prefer nothing. */
  get wantsSignature(): boolean {
    return this.#operation.signs === true && prefers(this.#request, SIGNATURE_PREFERENCE);
  }
}
