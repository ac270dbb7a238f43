import { LOG_HEAD_TYPE } from '@firmquote/client/logs';
import type { CryptoKey } from 'jose';
import { CompactSign, decodeProtectedHeader } from 'jose';
import { type Connection, inTransaction, type Pool, type Queryable } from '../database/pool.ts';
import { type Clock, isoInstant } from '../platform/clock.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { KeptTree } from './blocks.ts';
import { findHead, type HeadRow, insertHead, latestHeads, lockTip, readTip } from './seal-store.ts';
import type { SealedLog } from './sealed-log.ts';
import { rootOf, treeOf } from './tree.ts';

/** What signs heads: the key of signed terms. */
export type Signer = () => Promise<{
  readonly kid: string;
  readonly privateKey: CryptoKey;
  /** False of a key that was revoked: what it has signed is signed anew. */
  readonly verifies: (kid: string) => boolean;
}>;

export interface Heads {
  readonly pool: Pool;
  readonly realClock: Clock;
  readonly signer: Signer;
}

const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 60_000;

/** What a log is sealed to. */
interface Sealed {
  readonly size: string;
  readonly seals: string;
  readonly root: Buffer;
}

/** The signed head of what a log is sealed to; the same one for the same size, until its key is revoked. */
export async function headOf(
  { realClock, signer }: Heads,
  database: Queryable,
  log: SealedLog,
  { size, seals, root }: Sealed,
): Promise<HeadRow> {
  const known = await findHead(database, log.name, size);
  if (known !== undefined && (await isGood(signer, known))) return known;
  const rows = Number.parseInt(size, 10);
  const peaks = Buffer.concat(await new KeptTree(database, log, rows).peaks(rows));
  // What is signed must follow from what is kept: later proofs are made of it.
  if (!rootOf(treeOf(rows, peaks)).equals(root)) throw new Error(`log_nodes of ${log.name} do not fit`);
  const { kid, privateKey } = await signer();
  const now = realClock.now();
  const head = { log: log.name, size: rows, root: root.toString('hex') };
  const jws = await new CompactSign(new TextEncoder().encode(JSON.stringify(head)))
    .setProtectedHeader({ alg: 'EdDSA', kid, typ: LOG_HEAD_TYPE, iat: Math.floor(now / 1_000) })
    .sign(privateKey);
  await insertHead(database, { log: log.name, size, seals, root, peaks, signed_at: now, jws });
  return (await findHead(database, log.name, size)) as HeadRow;
}

async function isGood(signer: Signer, { jws }: HeadRow): Promise<boolean> {
  const { kid } = decodeProtectedHeader(jws);
  return kid !== undefined && (await signer()).verifies(kid);
}

/** Signs what a log is sealed to now, and commits it with what is done to the head. */
export function signNow<T>(
  heads: Heads,
  log: SealedLog,
  done: (connection: Connection, head: HeadRow) => Promise<T>,
): Promise<T> {
  return inTransaction(heads.pool, async (connection) => {
    const { size, seals, peaks } = await readTip(connection, log.name);
    const root = rootOf(treeOf(Number.parseInt(size, 10), peaks));
    return done(connection, await headOf(heads, connection, log, { size, seals, root }));
  });
}

/** As it is listed. */
export function headView({ log, size, root, signed_at, jws }: HeadRow) {
  return {
    log: log as SealedLog['name'],
    size: Number.parseInt(size, 10),
    root: root.toString('hex'),
    signedAt: isoInstant(signed_at),
    jws,
  };
}

/** Signs what has come in a day, and anew what a key has signed that was revoked. */
export function headSweep(heads: Heads, logs: readonly SealedLog[]): Sweep {
  return {
    name: 'sign_log_heads',
    does: 'Signs the heads of the audit trail and the journal once a day, and at once those that a revoked key had signed.',
    everyMs: LOOK_EVERY_MS,
    isHousekeeping: true,
    async run() {
      for (const log of logs) {
        const [last] = await latestHeads(heads.pool, log.name, undefined, 1);
        const isStanding = last !== undefined && (await isGood(heads.signer, last));
        if (isStanding && heads.realClock.now() - last.signed_at < DAY_MS) continue;
        await inTransaction(heads.pool, async (connection) => {
          const tip = await lockTip(connection, log.name);
          if (tip === undefined || tip.size === '0' || (isStanding && tip.size === last.size)) return;
          const root = rootOf(treeOf(Number.parseInt(tip.size, 10), tip.peaks));
          await headOf(heads, connection, log, { size: tip.size, seals: tip.seals, root });
        });
      }
      // Nothing that is due comes of it.
      return 0;
    },
  };
}
