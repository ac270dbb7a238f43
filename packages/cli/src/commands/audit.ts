import { hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type LogOptions,
  type LogProof,
  type LogRoot,
  type LogVerdict,
  verifyLog,
  verifyLogProof,
} from '@firmquote/client/logs';
import type { Cli } from '../cli.ts';
import { CliError, usage } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import type { Register } from '../kit.ts';
import type { Values } from '../operations/flags.ts';

/** A proof is some dozen hashes and one row. */
const PROOF_BYTES_MAX = 1_000_000; // limit: Size of a proof that the command line reads
const HEAD_COLUMNS = ['log', 'size', 'root', 'signedAt'];
const VERIFY_HELP = `
Reads an export, or an answer of prove-row or prove-growth, without asking the service. Keep the keys and earlier exports where
the owner of the database cannot write:

  firmquote api GET /.well-known/jwks.json > keys.json
  firmquote audit export --log journal --save journal-1.ndjson
  firmquote audit verify journal-2.ndjson --keys keys.json --since journal-1.ndjson

It exits with 1 when something does not fit.`;

export const register: Register = (group, kit) => {
  kit.operation(group, 'list', {
    id: 'listAudit',
    columns: ['number', 'at', 'kind', 'operation', 'outcome', 'actor.type', 'actor.id', 'resource'],
    empty: 'There are no such entries.',
  });
  kit.operation(group, 'export', { id: 'exportLog' });
  kit.operation(group, 'heads', { id: 'listLogHeads', columns: HEAD_COLUMNS, empty: 'No head is signed.' });
  kit.operation(group, 'sign', { id: 'signLogHead', columns: HEAD_COLUMNS });
  kit.operation(group, 'prove-row', { id: 'proveLogRow' });
  kit.operation(group, 'prove-growth', { id: 'proveLogGrowth' });
  group
    .command('verify')
    .argument('<file>', 'An export, or a proof')
    .summary('Verify an export or a proof, without the service')
    .description('Verify an export or a proof, without the service')
    .option(
      '--keys <file>',
      'The /.well-known/jwks.json of the service; without it the signature is not checked',
    )
    .option('--since <file>', 'An earlier export, which this log must continue')
    .addHelpText('after', VERIFY_HELP)
    .action(kit.run((cli, [file], options) => verify(cli, String(file), options)));
};

async function verify(cli: Cli, file: string, { keys, since }: Values): Promise<void> {
  const { io } = cli;
  const options: LogOptions = {
    sha256: (bytes) => hash('sha256', bytes, 'buffer'),
    ...(keys !== undefined && { keys: await keysIn(io, String(keys)) }),
  };
  const earlier = since === undefined ? undefined : await rootIn(io, String(since), options);
  const verdict = await verdictOf(io, file, { ...options, since: earlier });
  await cli.print.one(verdict);
  if (!verdict.ok) throw refused(file, verdict);
  const { archived } = verdict;
  if (archived !== undefined) {
    const covering = archived.exports.map(
      ({ fromSize, size, exportedAt, sha256 }) =>
        `rows ${fromSize + 1} to ${size} by the export of ${exportedAt} (SHA-256 ${sha256})`,
    );
    await cli.note(`Archived up to row ${archived.size}, covered: ${covering.join('; ')}.`);
  }
  if (verdict.signed === undefined) await cli.note('Without --keys the signature is not checked.');
}

async function verdictOf(io: Io, file: string, options: LogOptions): Promise<LogVerdict> {
  const proof = await proofIn(io, file);
  return proof === undefined ? verifyLog(linesOf(io, file), options) : verifyLogProof(proof, options);
}

/** What an earlier export came to, which must be good itself. */
async function rootIn(io: Io, file: string, options: LogOptions): Promise<LogRoot> {
  const { ok, log, rows, root, ...rest } = await verdictOf(io, file, options);
  if (!ok || log === undefined || root === undefined)
    throw refused(file, { ok, rows, ...(log !== undefined && { log }), ...rest });
  return { log, size: rows, root };
}

function refused(file: string, { fault, row }: LogVerdict): CliError {
  const where = row === undefined ? '' : `, at row ${row}`;
  return new CliError(
    EXIT.unexpected,
    fault ?? 'not_verified',
    `${file} is not what was sealed and signed: ${String(fault).replaceAll('_', ' ')}${where}.`,
    'Keep the file, and compare it with earlier exports; docs/audit.md explains the fault.',
  );
}

async function keysIn(io: Io, file: string): Promise<{ readonly keys: readonly object[] }> {
  const read = jsonIn(await text(io, file));
  const { keys } = (read ?? {}) as { readonly keys?: unknown };
  if (!Array.isArray(keys))
    throw usage(`${file} is not a set of keys.`, 'Save the answer of /.well-known/jwks.json: {"keys":[…]}.');
  return { keys };
}

async function proofIn(io: Io, file: string): Promise<LogProof | undefined> {
  const path = resolve(io.cwd, file);
  const { size } = await stat(path).catch((error: Error) => {
    throw usage(`${file} cannot be read: ${error.message}`);
  });
  if (size > PROOF_BYTES_MAX) return undefined;
  const read = jsonIn(await text(io, file)) as LogProof | undefined;
  const isProof = Array.isArray(read?.hashes) && typeof read.head?.jws === 'string';
  return isProof ? read : undefined;
}

function jsonIn(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}

function text(io: Io, file: string): Promise<string> {
  return readFile(resolve(io.cwd, file), 'utf8').catch((error: Error) => {
    throw usage(`${file} cannot be read: ${error.message}`);
  });
}

function linesOf(io: Io, file: string): AsyncIterable<string> {
  const input = createReadStream(resolve(io.cwd, file));
  return createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
}
