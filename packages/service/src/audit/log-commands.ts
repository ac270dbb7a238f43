import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { CryptoKey, JSONWebKeySet } from 'jose';
import { CompactSign } from 'jose';
import type { Pool } from '../database/pool.ts';
import { journalLines } from '../ledger/journal-lines.ts';
import type { Clock } from '../platform/clock.ts';
import { exportLog } from './export-log.ts';
import { auditLines, type LogName } from './sealed-log.ts';
import { verifyLog } from './verify.ts';
import { type FileProof, HEAD_TYPE, verifyFile } from './verify-file.ts';

/** What signs heads: the key of signed terms. */
type Signer = () => Promise<{ readonly kid: string; readonly privateKey: CryptoKey }>;

/** A log as a file, signed at its end. */
export function logText(pool: Pool, name: LogName, clock: Clock, signer: Signer): AsyncGenerator<string> {
  return exportLog(pool, logsOf(clock)[name], async (head) => {
    const { kid, privateKey } = await signer();
    return new CompactSign(new TextEncoder().encode(JSON.stringify(head)))
      .setProtectedHeader({ alg: 'EdDSA', kid, typ: HEAD_TYPE, iat: Math.floor(clock.now() / 1_000) })
      .sign(privateKey);
  });
}

/** Verifies an exported file, and nothing but it. @param keysFile a JSON Web Key Set of the service */
export function proveFile(file: string, keysFile: string | undefined): Promise<FileProof> {
  const keys =
    keysFile === undefined ? undefined : (JSON.parse(readFileSync(keysFile, 'utf8')) as JSONWebKeySet);
  return verifyFile(
    createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY }),
    keys,
  );
}

/** Verifies both logs in the database. */
export async function proveLogs(pool: Pool, clock: Clock) {
  const { audit, journal } = logsOf(clock);
  const fault = (await verifyLog(pool, audit)) ?? (await verifyLog(pool, journal));
  return fault === undefined ? { ok: true } : { ok: false, ...fault };
}

function logsOf(clock: Clock) {
  return { audit: auditLines(() => clock.now()), journal: journalLines(() => clock.now()) };
}
