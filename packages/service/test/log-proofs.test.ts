import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type LogRoot, verifyLog, verifyLogProof } from '@firmquote/client/logs';
import fc from 'fast-check';
import { decodeProtectedHeader, exportJWK, generateKeyPair } from 'jose';
import { exportLog, type LogRange } from '../src/audit/export-log.ts';
import { headSweep, headView, signNow } from '../src/audit/heads.ts';
import { proveGrowth, proveRow } from '../src/audit/proofs.ts';
import { LATE_MS, sealLog } from '../src/audit/seal.ts';
import { latestHeads } from '../src/audit/seal-store.ts';
import { auditLines } from '../src/audit/sealed-log.ts';
import { sha256 } from '../src/audit/tree.ts';
import { LogVerifier, verifyLog as verifyDatabase } from '../src/audit/verify.ts';
import type { Pool } from '../src/database/pool.ts';
import { isoInstant, VirtualClock } from '../src/platform/clock.ts';
import { createTestDatabase, ownerOf } from './support/database.ts';
import { rowsRead } from './support/rows-read.ts';

const clock = new VirtualClock();
const realClock = { now: () => clock.now() + 10_000 };
const log = auditLines(realClock.now);
const signing = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
const keys = { keys: [{ ...(await exportJWK(signing.publicKey)), kid: 'k', alg: 'EdDSA' }] };
const proving = { sha256, keys };

let pool: Pool;
/** Of every seal. */
const heads: LogRoot[] = [];
/** How many rows each seal is of: whole blocks, parts of them, and many blocks at once. */
const BATCHES = [1, 254, 1, 1, 255, 512, 3, 700, 40, 5, 256, 2];

const signer = async () => ({ kid: 'k', privateKey: signing.privateKey, verifies: () => true });
const signed = () => signNow({ pool, realClock, signer }, log, async (_connection, head) => headView(head));

async function write(rows: number): Promise<void> {
  await pool.query(
    `insert into audit_log (at, kind, operation, resource, subjects, outcome, actor, changes)
     select $2, 'change', 'test', '/things/' || i, '{}', 'done', 'service', '[]' from generate_series(1, $1) i`,
    [rows, isoInstant(clock.now())],
  );
  clock.advance(1_000);
  assert.equal(await sealLog({ pool, clock, realClock }, log), rows);
}

before(async () => {
  ({ pool } = await createTestDatabase());
  heads.push(await signed());
  for (const rows of BATCHES) {
    await write(rows);
    heads.push(await signed());
  }
});

const total = BATCHES.reduce((sum, rows) => sum + rows, 0);
const someHead = fc.nat(BATCHES.length);

test('a head is signed once for a size, and its root is that of the rows', async () => {
  const again = await signed();
  assert.deepEqual(again, heads.at(-1));
  assert.equal(again.size, total);
  assert.deepEqual(await verifyDatabase(pool, log), { rows: total });
});

test('between any two heads the log is proved to have grown, and nothing else is', async () => {
  await fc.assert(
    fc.asyncProperty(someHead, someHead, fc.nat(), async (one, other, draw) => {
      const [earlier, later] = [heads[Math.min(one, other)], heads[Math.max(one, other)]];
      if (earlier === undefined || later === undefined) return;
      const proof = await proveGrowth(pool, log, earlier.size, later.size);
      assert.equal((await verifyLogProof(proof, proving)).ok, true, `${earlier.size} to ${later.size}`);
      const { root } = earlier;
      const forged = {
        ...proof,
        earlier: { ...proof.earlier, root: root.replace(/./, root[0] === '0' ? '1' : '0') },
      };
      assert.equal((await verifyLogProof(forged, proving)).ok, false);
      if (proof.hashes.length === 0) return;
      const at = draw % proof.hashes.length;
      assert.equal(
        (await verifyLogProof({ ...proof, hashes: proof.hashes.toSpliced(at, 1) }, { sha256 })).fault,
        'proof_wrong',
      );
    }),
    { numRuns: 60 },
  );
});

test('any row is proved to be under a head, and no other one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(total - 1), someHead, async (index, of) => {
      const { size } = heads[of] as LogRoot;
      if (index >= size) {
        await assert.rejects(proveRow(pool, log, String(index + 1), size), { code: 'validation_failed' });
        return;
      }
      const proof = await proveRow(pool, log, String(index + 1), size);
      assert.equal(proof.index, index);
      assert.deepEqual(await verifyLogProof(proof, proving), {
        ...{ ok: true, log: 'audit', rows: size, root: proof.head.root },
        ...{ row: String(index + 1), signed: true },
      });
      const altered = { ...proof, line: proof.line.replace('"done"', '"more"') };
      assert.equal((await verifyLogProof(altered, proving)).fault, 'proof_wrong');
      if (size > 1) {
        const elsewhere = { ...proof, index: (index + 1) % size };
        assert.equal((await verifyLogProof(elsewhere, proving)).fault, 'proof_wrong');
      }
    }),
    { numRuns: 60 },
  );
});

async function exported(range: LogRange): Promise<string[]> {
  let text = '';
  for await (const piece of exportLog({ pool, realClock, signer }, log, range)) text += piece;
  return text.split('\n').slice(0, -1);
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

test('any part of a log is exported with what comes before it, and follows from an earlier export', async () => {
  const full = await exported({});
  await fc.assert(
    fc.asyncProperty(someHead, someHead, async (one, other) => {
      const [earlier, later] = [heads[Math.min(one, other)], heads[Math.max(one, other)]];
      if (earlier === undefined || later === undefined) return;
      const part = await exported({ fromSize: earlier.size, toSize: later.size });
      const verdict = await verifyLog(each(part), { ...proving, since: earlier });
      assert.deepEqual(verdict, {
        ...{ ok: true, log: 'audit', rows: later.size, root: later.root, signed: true },
        ...(earlier.size > 0 && { after: earlier.size }),
      });
      const other_ = { ...earlier, root: sha256(Buffer.from('another')).toString('hex') };
      assert.equal((await verifyLog(each(part), { sha256, since: other_ })).fault, 'earlier_differs');
      if (earlier.size > 1) {
        const before = { ...earlier, size: earlier.size - 1 };
        assert.equal((await verifyLog(each(part), { sha256, since: before })).fault, 'earlier_not_covered');
      }
    }),
    { numRuns: 12 },
  );
  for (const head of [heads[1], heads[6], heads[11]] as LogRoot[]) {
    assert.equal((await verifyLog(each(full), { ...proving, since: head })).ok, true, `${head.size}`);
  }
  const more = await verifyLog(each([...full, '{"number":"x"}']), proving);
  assert.deepEqual([more.ok, more.fault, more.row], [false, 'inserted', 'x']);
});

test('a part of a log by time is what was sealed then', async () => {
  const seals = await pool.query<{ sealed_at: number; size: string }>(
    'select sealed_at, size from log_seals order by number',
  );
  const [, , third, fourth, , sixth] = seals.rows;
  const part = await exported({ from: fourth?.sealed_at ?? 0, to: sixth?.sealed_at ?? 0 });
  const verdict = await verifyLog(each(part), proving);
  assert.deepEqual(
    [verdict.ok, verdict.after, verdict.rows],
    [true, Number(third?.size), Number(third?.size) + 256],
  );
  const none = await verifyLog(each(await exported({ to: (seals.rows[0]?.sealed_at ?? 0) - 1 })), proving);
  assert.deepEqual([none.ok, none.rows], [true, 0]);
});

test('hashes of what an earlier version sealed are made of its rows', async () => {
  // As if it had sealed all of it: it writes no hashes, and counts none.
  const owner = await ownerOf(pool).connect();
  await owner.query('set session_replication_role = replica; delete from log_nodes');
  owner.release(true);
  await pool.query(`update log_tips set blocks = 0 where log = 'audit'`);
  const proof = await proveRow(pool, log, '700', undefined);
  assert.equal((await verifyLogProof(proof, proving)).ok, true);
  await write(1);
  const { rows } = await pool.query<{ blocks: number }>(
    `select count(*)::int as blocks from log_nodes where level = 8 and log = 'audit'`,
  );
  assert.deepEqual(rows, [{ blocks: Math.floor((total + 1) / 256) }]);
  assert.equal((await signed()).size, total + 1);
});

test('sealing, a part of the verification, and proofs read as much of a long log as of a short one', async () => {
  const measured = async () => {
    // Just behind a whole block, whose hashes are made of its rows.
    const { rows } = await pool.query<{ size: string }>(`select size from log_tips where log = 'audit'`);
    await write(266 - (Number(rows[0]?.size) % 256));
    await ownerOf(pool).query('analyze log_seals, log_nodes, log_heads, audit_log');
    return await counted();
  };
  const counted = async () => ({
    sealing: await rowsRead(pool, async () => write(3)),
    verifying: await rowsRead(pool, async () => new LogVerifier(log).step(pool, 4)),
    growth: await rowsRead(pool, async () => proveGrowth(pool, log, heads[3]?.size ?? 0, undefined)),
    row: await rowsRead(pool, async () => proveRow(pool, log, '300', undefined)),
  });
  const short = await measured();
  // Late rows, heads and seals as a long time leaves them.
  for (let i = 0; i < 40; i++) {
    const { rows } = await pool.query<{ number: string }>(`select nextval('audit_numbers') as number`);
    await write(60);
    await signed();
    await pool.query(
      `insert into audit_log (number, at, kind, operation, resource, subjects, outcome, actor, changes)
       values ($1, $2, 'change', 'late', '', '{}', 'done', 'service', '[]')`,
      [rows[0]?.number, isoInstant(clock.now())],
    );
    clock.advance(LATE_MS);
    await sealLog({ pool, clock, realClock }, log);
  }
  const long = await measured();
  for (const what of ['sealing', 'verifying', 'growth', 'row'] as const) {
    // The log has grown by 2,480 rows. Rows of one instant and of one block are read together, which differs by a few hundred.
    assert.ok(long[what] <= short[what] + 600, `${what}: ${short[what]} rows, then ${long[what]}`);
  }
  const late = await pool.query('select from log_seals where late is not null');
  assert.equal(late.rows.length, 40);
  assert.equal((await verifyDatabase(pool, log)).fault, undefined);
});

test('what a key has signed that was revoked is signed anew, whether or not the log has grown', async () => {
  const before = await signed();
  const next = await generateKeyPair('EdDSA', { extractable: true });
  const verifies = (kid: string) => kid === 'next';
  const anew = {
    pool,
    realClock,
    signer: async () => ({ kid: 'next', privateKey: next.privateKey, verifies }),
  };
  await headSweep(anew, [log]).run();
  const [head, earlier] = (await latestHeads(pool, log.name, undefined, 2)).map(headView);
  assert.deepEqual({ ...head, jws: '', signedAt: '' }, { ...before, jws: '', signedAt: '' });
  assert.ok(earlier !== undefined && earlier.size < before.size, 'each size is listed once');
  assert.equal(decodeProtectedHeader(head?.jws ?? '').kid, 'next');
  const jws = await signNow(anew, log, async (_connection, found) => found.jws);
  assert.equal(jws, head?.jws, 'once is enough');
  await headSweep(anew, [log]).run();
  const { rows } = await pool.query('select 1 from log_heads where log = $1 and size = $2', [
    log.name,
    before.size,
  ]);
  assert.equal(rows.length, 2);
});
