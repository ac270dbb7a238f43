import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, test } from 'node:test';
import { verifyLog as verifyFile, verifyLogProof } from '@firmquote/client/logs';
import { exportJWK, generateKeyPair } from 'jose';
import { archiveSome, archiveSweep } from '../src/audit/archive.ts';
import { type MadeExport, readArchived, recordExport, removeRows } from '../src/audit/archive-store.ts';
import { exportLog, type LogRange } from '../src/audit/export-log.ts';
import { headView, signNow } from '../src/audit/heads.ts';
import { proveGrowth, proveRow } from '../src/audit/proofs.ts';
import { LATE_MS, sealLog } from '../src/audit/seal.ts';
import { auditLines } from '../src/audit/sealed-log.ts';
import { sha256 } from '../src/audit/tree.ts';
import { LogVerifier, verifyLog } from '../src/audit/verify.ts';
import type { Pool } from '../src/database/pool.ts';
import { isoInstant, systemClock, VirtualClock } from '../src/platform/clock.ts';
import { createLogger } from '../src/platform/logger.ts';
import { createTestDatabase, ownerOf } from './support/database.ts';

/** Rows of two years ago that an export has leave the trail; everything about them can still be proved. */

const DAY_MS = 86_400_000;
const KEPT_DAYS = 400;
/** Where each seal ends: a whole block is full at 256, 512, 768 and 1,024. */
const BATCHES = [200, 100, 3, 400, 300, 100];
/** Of which the fifth is the last whose block is whole. */
const WHOLE = 1_003;
const DENIED = { code: '42501' };

const clock = new VirtualClock(-800 * DAY_MS);
const log = auditLines(() => clock.now());
const sealing = { clock, realClock: clock };
const { privateKey, publicKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'EdDSA' }] };
const proving = { sha256, keys };
const signer = async () => ({ kid: 'k', privateKey, verifies: () => true });
const reported: string[] = [];
const logger = createLogger('info', { write: (line) => reported.push(line) });

let pool: Pool;
const heads = () => ({ pool, realClock: clock, signer });
const archiving = (keptDays: number | undefined = KEPT_DAYS) => ({
  ...{ pool, logger, keptDays },
  realClock: systemClock,
});
const seals = () => sealLog({ pool, ...sealing }, log);
const signed = () => signNow(heads(), log, async (_connection, head) => headView(head));

async function write(rows: number, number?: string): Promise<void> {
  const drawn = number ?? `nextval('audit_numbers')`;
  await pool.query(
    `insert into audit_log (number, at, kind, operation, resource, subjects, outcome, actor, changes)
     select ${drawn}, $2, 'change', 'test', '/things/' || i, '{}', 'done', 'service', '[]' from generate_series(1, $1) i`,
    [rows, isoInstant(clock.now())],
  );
}

/** What the owner does past every trigger. */
async function asOwner(...statements: string[]): Promise<void> {
  const owner = await ownerOf(pool).connect();
  try {
    await owner.query('set session_replication_role = replica');
    for (const statement of statements) await owner.query(statement);
  } finally {
    owner.release(true);
  }
}

/** A refusal is told before what it held is let go, and who finds that held leaves it to the next run. */
async function released(): Promise<void> {
  await ownerOf(pool).query(`select from log_tips where log = 'audit' for update`);
}

async function refused(through: string, days: number | null, expected: object): Promise<void> {
  await assert.rejects(removeRows(pool, through, days as number), expected);
  await released();
}

async function exported(range: LogRange = {}) {
  let text = '';
  let made: MadeExport | undefined;
  for await (const piece of exportLog(heads(), log, range, (whole) => {
    made = whole;
  }))
    text += piece;
  return { lines: text.split('\n').slice(0, -1), text, made };
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

const verified = ({ lines }: { lines: readonly string[] }) => verifyFile(each(lines), proving);
const rowsLeft = async () =>
  (await pool.query<{ count: number }>('select count(*)::int as count from audit_log')).rows[0]?.count;

let old: Awaited<ReturnType<typeof exported>>;
let late: string;
before(async () => {
  ({ pool } = await createTestDatabase({ connections: 4 }));
  for (const rows of BATCHES) {
    if (rows === 3) {
      const { rows: drawn } = await pool.query<{ number: string }>(
        `select nextval('audit_numbers') as number`,
      );
      late = drawn[0]?.number ?? '';
    }
    await write(rows);
    clock.advance(10_000);
    assert.equal(await seals(), rows);
  }
  // It belongs under the third seal, and came when that was made.
  await write(1, late);
  clock.advance(LATE_MS);
  await seals();
  // Beyond what is whole: rows of the last block.
  await write(5);
  clock.advance(2 * LATE_MS);
  await seals();
  clock.advance(2 * LATE_MS);
  await seals();
  await signed();
});

test('nothing leaves the trail without a setting, an export, and a week in which it can be missed', async () => {
  const all = await rowsLeft();
  assert.equal(await archiveSome(archiving(undefined), log), 0);
  assert.equal(await archiveSome(archiving(), log), 0, 'no export has it');
  await refused('5', KEPT_DAYS, { ...DENIED, message: /no export covers the rows/ });
  old = await exported();
  assert.ok(old.made);
  assert.deepEqual(old.made.sha256, createHash('sha256').update(old.text).digest());
  await recordExport(pool, old.made, clock.now());
  assert.equal(await archiveSome(archiving(), log), 0, 'it is of today');
  await refused('5', KEPT_DAYS, { ...DENIED, message: /no export covers/ });
  await asOwner(`update log_exports set exported_at = now() - interval '8 days'`);
  assert.equal(await rowsLeft(), all);
});

test('the role of the service removes nothing by itself, and by the function nothing that must stay', async () => {
  await assert.rejects(pool.query('delete from audit_log where number = 1'), DENIED);
  await assert.rejects(
    pool.query(`set firmquote.archives = 'on'; delete from audit_log where number = 1`),
    DENIED,
  );
  await assert.rejects(pool.query('insert into log_archives select from log_archives'), DENIED);
  await assert.rejects(
    pool.query('insert into log_exports (id, exported_at) values (gen_random_uuid(), now())'),
    DENIED,
    'when an export was made is the word of the database',
  );
  for (const [through, days, why] of [
    ['5', 364, /kept for 365 days at least/],
    ['5', null, /kept for 365 days at least/],
    ['5', 801, /not old enough/],
    ['99', KEPT_DAYS, /not old enough/],
    ['8', KEPT_DAYS, /hashes of the rows up to \d+ are not kept/],
  ] as const) {
    await refused(through, days, { ...DENIED, message: why });
  }
  // Put in, or taken out beside the seals: then the rows are not those that were sealed.
  await asOwner('create table kept_audit_log as table audit_log');
  for (const change of [
    'delete from audit_log where number = 7',
    'update audit_log set at = now() where number = 7',
  ]) {
    await asOwner(change);
    await refused('1', KEPT_DAYS, { code: '23001', message: /199 rows that may go, of 200/ });
    await asOwner('delete from audit_log', 'insert into audit_log select * from kept_audit_log');
  }
  // What was altered is not lost from sight by being archived.
  await asOwner(`update audit_log set outcome = 'other' where number = 7`);
  assert.equal(await archiveSome(archiving(), log), 0);
  assert.match(reported.at(-1) ?? '', /rows cannot be archived/);
  await released();
  await asOwner(
    'delete from audit_log',
    'insert into audit_log select * from kept_audit_log',
    'drop table kept_audit_log',
  );
  assert.equal((await readArchived(pool, log.name)).size, '0');
});

test('old rows leave in portions, each once however many instances are at it, and a row tells of each', async () => {
  const all = (await rowsLeft()) ?? 0;
  const both = await Promise.all([archiveSome(archiving(), log), archiveSome(archiving(), log)]);
  const moved = both.reduce((sum, rows) => sum + rows, 0);
  assert.equal(moved, WHOLE, 'up to the last seal whose hashes are all kept');
  assert.ok(both.includes(0), 'one of them did it');
  assert.equal(await archiveSweep(archiving(), log).run(), 0, 'less than a block is left');
  const { rows } = await pool.query<{ operation: string; actor: string; changes: unknown }>(
    `select operation, actor, changes from audit_log where operation like 'sweep:%'`,
  );
  assert.equal(rows.length, 1);
  const [{ changes, ...act } = assert.fail()] = rows;
  assert.deepEqual(act, { operation: 'sweep:archive_audit', actor: 'service' });
  assert.match(JSON.stringify(changes), /"?table"?.*log_archives.*1003/);
  assert.equal(await rowsLeft(), all - WHOLE + 1);
  assert.equal((await verifyLog(pool, log)).fault, undefined);
  // It is sealed with what follows, two years ago.
  await asOwner(`update audit_log set at = '${isoInstant(clock.now())}' where operation like 'sweep:%'`);
});

test('an export of today begins behind them, and proves by itself which one has them', async () => {
  const now = await exported();
  const verdict = await verified(now);
  assert.equal(verdict.ok, true, JSON.stringify(verdict));
  assert.deepEqual([verdict.after, verdict.signed], [WHOLE, true]);
  assert.deepEqual(verdict.archived, {
    size: WHOLE,
    exports: [
      {
        ...{ fromSize: 0, size: old.made?.size, root: old.made?.root.toString('hex') },
        sha256: createHash('sha256').update(old.text).digest('hex'),
        exportedAt: verdict.archived?.exports[0]?.exportedAt,
      },
    ],
  });
  const first = now.lines[0] ?? '';
  const { start } = JSON.parse(first);
  const broken = (archived: unknown) =>
    verified({ lines: [JSON.stringify({ start: { ...start, archived } }), ...now.lines.slice(1)] });
  const [covering] = start.archived.exports;
  const other = sha256(Buffer.from('another')).toString('hex');
  const faults = {
    'another root': [{ ...covering, root: other }],
    'it begins too late': [{ ...covering, fromSize: 1 }],
    none: [],
  };
  for (const [what, exports] of Object.entries(faults))
    assert.equal((await broken({ ...start.archived, exports })).fault, 'archive_wrong', what);
  const { jws } = await signed();
  assert.equal(
    (await broken({ ...start.archived, exports: [{ ...covering, jws: `${jws.slice(0, -8)}AAAAAAAA` }] }))
      .fault,
    'signature_wrong',
  );
});

test('the archived file and the log of today follow from each other', async () => {
  const earlier = await verified(old);
  assert.deepEqual([earlier.ok, earlier.rows], [true, old.made?.size]);
  await write(3);
  clock.advance(LATE_MS);
  await seals();
  const head = await signed();
  const since = { log: 'audit', size: earlier.rows, root: earlier.root ?? '' };
  const growth = await proveGrowth(pool, log, since.size, head.size);
  assert.deepEqual(await verifyLogProof(growth, { ...proving, since }), {
    ...{ ok: true, log: 'audit', rows: head.size, root: head.root, signed: true },
  });
  const later = await exported();
  assert.equal((await verifyFile(each(later.lines), { ...proving, since })).ok, true);
  const from = await exported({ fromSize: head.size - 4 });
  const verdict = await verifyFile(each(from.lines), { ...proving, since });
  assert.deepEqual([verdict.ok, verdict.after], [true, head.size - 4], 'it ends before this file begins');
  const forged = { ...since, root: sha256(Buffer.from('another')).toString('hex') };
  assert.equal((await verifyFile(each(from.lines), { ...proving, since: forged })).ok, false);
  const row = await proveRow(pool, log, String(WHOLE + 5), undefined);
  assert.equal((await verifyLogProof(row, proving)).ok, true);
  await assert.rejects(proveRow(pool, log, '5', undefined), { code: 'validation_failed' });
});

test('what the owner takes out or puts in beside this is a fault as ever', async () => {
  const at = `(select min(number) from audit_log where operation = 'test')`;
  const fault = async (...statements: string[]) => {
    const tables = ['audit_log', 'log_archives', 'log_exports', 'log_nodes'];
    for (const table of tables) await asOwner(`create table kept_${table} as table ${table}`);
    await asOwner(...statements);
    const found = (await verifyLog(pool, log)).fault;
    for (const table of tables)
      await asOwner(
        `delete from ${table}`,
        `insert into ${table} select * from kept_${table}`,
        `drop table kept_${table}`,
      );
    return found?.fault;
  };
  assert.equal(await fault(`delete from audit_log where number = ${at}`), 'missing');
  assert.equal(
    await fault(
      `insert into audit_log (number, at, kind, operation, resource, subjects, outcome, actor, changes)
       select 7, at, kind, operation, resource, subjects, outcome, actor, changes from audit_log where number = ${at}`,
    ),
    'inserted',
  );
  assert.equal(await fault('delete from log_exports'), 'archive_wrong');
  const next = 'select number, size from log_seals where size > 1003 order by number limit 1';
  assert.equal(
    await fault(
      `insert into log_archives select 'audit', number, size, 1, now() from (${next}) s`,
      `delete from audit_log a using log_seals s where s.size = (select size from (${next}) n) and a.number > s.after_key::bigint and a.number <= s.through_key::bigint`,
    ),
    'archive_wrong',
    'whose hashes are not all kept',
  );
  assert.equal(
    await fault(
      `update log_nodes set leaves = set_byte(leaves, 0, get_byte(leaves, 0) # 255) where level = 8 and place = 1`,
    ),
    'archive_wrong',
  );
  assert.equal((await verifyLog(pool, log)).fault, undefined);
});

test('rows that are archived while the log is verified are no fault', async () => {
  clock.set(Date.now() - 700 * DAY_MS);
  for (let i = 0; i < 3; i++) {
    await write(300);
    clock.advance(LATE_MS);
    await seals();
  }
  clock.advance(2 * LATE_MS);
  await seals();
  const more = await exported();
  assert.ok(more.made);
  assert.equal(more.made.fromSize, WHOLE);
  await recordExport(pool, more.made, clock.now());
  await asOwner(`update log_exports set exported_at = now() - interval '8 days'`);
  const verifier = new LogVerifier(log);
  assert.equal((await verifier.step(pool, 2)).fault, undefined);
  assert.ok((await archiveSweep(archiving(), log).run()) > 256);
  for (;;) {
    const { fault, done } = await verifier.step(pool, 2);
    assert.equal(fault, undefined);
    if (done) break;
  }
  const { archived, ok } = await verified(await exported());
  assert.equal(ok, true);
  assert.deepEqual(
    archived?.exports.map(({ fromSize, size }) => [fromSize, size]),
    [
      [0, old.made?.size],
      [WHOLE, more.made.size],
    ],
    'one behind the other',
  );
});
