import type { BodyOf, Operation } from '@firmquote/api/operation';
import type { FastifyInstance } from 'fastify';
import { type Result, serve } from '../http/serve.ts';
import type { Clock } from '../platform/clock.ts';
import type { LiveDocument, Versioned } from './documents.ts';

/** Documents can be for many customers, each by itself. */
export const DOCUMENT_BYTES = 4 * 1024 * 1024; // limit: Body with settings of pricing, limits or spread rules

type Replaces = Operation & { readonly conditional: 'required' };

/**
 * A document at its address: read with its ETag, replaced under `If-Match`.
 * @param judge refuses what only other rooms can judge
 */
export function serveDocument<const Set extends Replaces, Input extends BodyOf<Set> & object>(
  app: FastifyInstance,
  get: Operation,
  set: Set,
  document: LiveDocument<Input, unknown>,
  clock: Clock,
  judge?: (input: Input) => Promise<void>,
): void {
  serve(app, get, async () => versioned(await document.newest()));
  serve<Replaces>(
    app,
    set,
    async ({ body, ifMatch, by }) => {
      const input = body as Input;
      await judge?.(input);
      return versioned(await document.replace(input, { ifMatch, by, at: clock.now() }));
    },
    { bodyLimit: DOCUMENT_BYTES },
  );
}

/** A document with its version as the ETag. */
export function versioned(document: Versioned<object>): Result {
  return { version: document.version, body: document };
}
