import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { StatementRefusal } from '@firmquote/bank-formats';
import { readAll } from '../../../bank-formats/src/test-support.ts';
import { createTestDatabase } from '../../test/support/database.ts';
import { whenFileEnds } from '../../test/support/file-end.ts';
import type { Connection, Pool } from '../database/pool.ts';
import { importFile } from './import-file.ts';

const SAMPLES = new URL('../../../../../shared/data/statements/', import.meta.url);
const NOW = Date.parse('2026-03-04T18:00:00Z');

let connection: Connection;
before(async () => {
  const { pool } = await createTestDatabase();
  connection = await pool.connect();
  whenFileEnds(async () => connection.release());
});

interface Sample {
  readonly name: string;
  readonly content: Buffer;
}

/** Files of a collection that are accepted one by one. */
async function samples(collection: string): Promise<Sample[]> {
  const names = (await readdir(new URL(collection, SAMPLES), { recursive: true })).sort();
  const found: Sample[] = [];
  for (const name of names.filter((each) => /\.(xml|sta|txt)$/.test(each))) {
    const content = await readFile(new URL(`${collection}/${name}`, SAMPLES));
    try {
      await readAll(content);
      found.push({ name, content });
    } catch (error) {
      if (!(error instanceof StatementRefusal)) throw error;
    }
  }
  return found;
}

/** Inside the open transaction of the test. @param copy other bytes that say the same */
async function imported({ name, content }: Sample, copy: number) {
  const inside = {
    query: (text: unknown, values?: unknown[]) =>
      text === 'begin' || text === 'commit'
        ? Promise.resolve({ command: text.toUpperCase(), rows: [] })
        : connection.query(text as string, values),
    release: () => undefined,
  };
  const pool = { connect: async () => inside } as unknown as Pool;
  const bytes = Buffer.concat([content, Buffer.from('\r\n'.repeat(copy))]);
  const source = {
    async *open() {
      yield bytes;
    },
  };
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const { outcome, file } = await importFile(
    { pool, clock: { now: () => NOW } },
    { name, sha256, sizeBytes: bytes.length, bytes: source, source: 'api' },
  );
  assert.equal(outcome, 'accepted', name);
  return file.new_bookings;
}

/** How often each amount of a day is money on an account. */
async function money(): Promise<Map<string, number>> {
  const { rows } = await connection.query<{ key: string; count: number }>(
    `select concat_ws(' ', b.account, b.currency, b.direction, b.status, b.booking_date, e.amount_minor) as key, count(*)::int as count
     from entry_details e join bank_entries b on b.id = e.entry_id where e.same_as is null group by 1 order by 1`,
  );
  return new Map(rows.map((row) => [row.key, row.count]));
}

/** The most that one file reports of each: less would be lost. */
async function most(files: readonly Sample[]): Promise<Map<string, number>> {
  const all = new Map<string, number>();
  for (const { content } of files) {
    const own = new Map<string, number>();
    for (const { begin, entries } of (await readAll(content)).statements) {
      for (const { currency, direction, status, bookingDate, details } of entries) {
        for (const { amountMinor } of details) {
          const key = [begin.account, currency, direction, status, bookingDate, amountMinor].join(' ');
          own.set(key, (own.get(key) ?? 0) + 1);
        }
      }
    }
    for (const [key, count] of own) all.set(key, Math.max(count, all.get(key) ?? 0));
  }
  return all;
}

describe('samples of banks, brought twice and in either order', () => {
  for (const collection of ['camt-genkgo', 'mt940-wolph']) {
    test(`${collection}: nothing is lost and nothing is doubled`, async (t) => {
      if (!existsSync(SAMPLES)) {
        t.skip('the sample statements are not on this machine');
        return;
      }
      const files = await samples(collection);
      const least = await most(files);
      assert.ok(files.length > 10 && least.size > 2, `${files.length} files, ${least.size} amounts`);
      const outcomes: (readonly [string, number][])[] = [];
      for (const order of [files, files.toReversed()]) {
        await connection.query('begin');
        for (const each of order) await imported(each, 1);
        const once = await money();
        for (const [key, count] of least) assert.ok((once.get(key) ?? 0) >= count, `${key} is lost`);
        for (const each of order.toReversed())
          assert.equal(await imported(each, 2), 0, `${each.name} is doubled`);
        assert.deepEqual(await money(), once);
        outcomes.push([...once]);
        await connection.query('rollback');
      }
      assert.deepEqual(outcomes[0], outcomes[1], 'the order makes no difference');
    });
  }
});
