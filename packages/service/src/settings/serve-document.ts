import type { BodyOf, Operation } from '@firmquote/api/operation';
import type { FastifyInstance } from 'fastify';
import { type Result, serve } from '../http/serve.ts';
import { type Clock, isoInstant } from '../platform/clock.ts';
import { actorId } from '../platform/ids.ts';
import type { KeptVersion, LiveDocument, Versioned } from './documents.ts';

/** Documents can be for many customers, each by itself. */
export const DOCUMENT_BYTES = 4 * 1024 * 1024; // limit: Body with settings of pricing, limits or spread rules

type Replaces = Operation & { readonly conditional: 'required' };
type Lists = Operation & { readonly pages: true };

/** What there is at the address of a document. */
interface DocumentOperations<Set extends Replaces> {
  readonly get: Operation;
  readonly set: Set;
  readonly list: Lists;
}

/**
 * A document at its address: read with its ETag, replaced under `If-Match`, and what it was before.
 * @param judge refuses what only other rooms can judge
 */
export function serveDocument<const Set extends Replaces, Input extends BodyOf<Set> & object>(
  app: FastifyInstance,
  { get, set, list }: DocumentOperations<Set>,
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
  serveVersions(app, list, (before, rowsMax) => document.versions(before, rowsMax));
}

/** The versions of a document, newest first. A page ends early where they are large. */
export function serveVersions(
  app: FastifyInstance,
  list: Lists,
  read: (before: bigint | undefined, rowsMax: number) => Promise<KeptVersion[]>,
): void {
  serve(app, list, async ({ page }) => {
    const rows = await read(page.place('integer')?.[0], page.rows);
    const shown = rows.slice(0, page.limit).filter(({ document }) => document !== null);
    const next = shown.length < rows.length ? shown.at(-1)?.version : undefined;
    const items = shown.map(({ version, changedAt, changedBy, document }) => {
      return { version, changedAt: isoInstant(changedAt), changedBy: actorId(changedBy), ...document };
    });
    return { body: page.from(items, next === undefined ? undefined : [String(next)]) };
  });
}

/** A document with its version as the ETag. */
export function versioned(document: Versioned<object>): Result {
  return { version: document.version, body: document };
}
