import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, createGunzip, gunzipSync, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasTag } from './conditional.ts';

type Compressed = 'br' | 'gzip';

/** What everybody may read, made once: every answer hands on the same bytes, however many are under way. */
export interface PublicDocument {
  readonly type: string;
  readonly tag: string;
  /** Compressed only: nearly everybody takes it so, and the thousand pages of the documentation are three times as large as they are. */
  readonly bodies: Readonly<Record<Compressed, Buffer>>;
  readonly sizeBytes: number;
}

/** A tenth of what the highest levels take, for a body that is a few percent longer. */
const BROTLI_QUALITY = 5;

let lastPrepared: Promise<unknown> = Promise.resolve();

/**
 * Compresses beside the event loop, one document after the other: an encoder takes megabytes from when it is asked for, not from
 * when it begins, and what it has freed stays with the process.
 */
export function preparePublicDocument(type: string, content: string | Buffer): Promise<PublicDocument> {
  const prepared = lastPrepared.then(() => compress(type, content));
  lastPrepared = prepared.catch(() => undefined);
  return prepared;
}

async function compress(type: string, content: string | Buffer): Promise<PublicDocument> {
  const identity = Buffer.from(content);
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(identity, { params }),
    promisify(gzip)(identity),
  ]);
  const tag = hash('sha256', identity, 'base64url');
  return { type, tag, bodies: { br, gzip: zipped }, sizeBytes: identity.length };
}

/** As it is. */
export function plainText({ bodies }: PublicDocument): string {
  return gunzipSync(bodies.gzip).toString();
}

/** Makes it when it is first asked for; a failure is not kept. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/**
 * Sends it in the best coding that the caller takes, or 304 when the caller has it. As it is, it is made while it is read.
 * @param maxAgeSeconds how long anybody may use it without asking again; 0 makes them ask each time, a year never
 */
export function sendPublicDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, tag, bodies, sizeBytes }: PublicDocument,
  maxAgeSeconds: number,
): FastifyReply {
  const coding = codingFor(request.headers['accept-encoding']);
  reply
    // One tag for all codings would be one name for different bytes (RFC 9110 §8.8.3.3).
    .header('ETag', `"${tag}-${coding}"`)
    .header('Cache-Control', cachingOf(maxAgeSeconds))
    .header('Vary', 'Accept-Encoding');
  if (hasTag(request.headers['if-none-match'], `${tag}-${coding}`)) return reply.code(304).send();
  reply.header('Content-Type', type);
  if (coding !== 'identity') return reply.header('Content-Encoding', coding).send(bodies[coding]);
  return reply.header('Content-Length', sizeBytes).send(createGunzip().end(bodies.gzip));
}

/** What has its content's mark in its name never changes. */
export const NEVER_CHANGES_SECONDS = 31_536_000;

function cachingOf(maxAgeSeconds: number): string {
  if (maxAgeSeconds === 0) return 'public, no-cache';
  return `public, max-age=${maxAgeSeconds}${maxAgeSeconds === NEVER_CHANGES_SECONDS ? ', immutable' : ''}`;
}

/** The first of ours that the header names without refusing it (RFC 9110 §12.5.3). */
function codingFor(header: string | string[] | undefined): Compressed | 'identity' {
  const accepted = String(header ?? '')
    .split(',')
    .map((part) =>
      part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/),
    );
  const takes = (name: string) =>
    accepted.some(([coding, quality]) => coding === name && !/^q=0(\.0{0,3})?$/.test(quality ?? ''));
  if (takes('br')) return 'br';
  return takes('gzip') ? 'gzip' : 'identity';
}
