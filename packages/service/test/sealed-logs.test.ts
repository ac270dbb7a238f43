import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { verifyLog as verifyFile } from '@firmquote/client/logs';
import fc from 'fast-check';
import { exportJWK, generateKeyPair, type JSONWebKeySet } from 'jose';
import { exportLog } from '../src/audit/export-log.ts';
import { LATE_MS, sealLog } from '../src/audit/seal.ts';
import { auditLines, type SealedLog } from '../src/audit/sealed-log.ts';
import { sha256 } from '../src/audit/tree.ts';
import { LogVerifier, verifyLog } from '../src/audit/verify.ts';
import { recordAct } from '../src/database/acting.ts';
import { inTransaction, type Pool } from '../src/database/pool.ts';
import { HOUSE_ID, postEntries } from '../src/ledger/journal.ts';
import { journalLines } from '../src/ledger/journal-lines.ts';
import { VirtualClock } from '../src/platform/clock.ts';
import { createTestDatabase, ownerOf } from './support/database.ts';

/** The database's owner changes what the service can only add to: no trigger is in the way. */

let pool: Pool;
const clock = new VirtualClock();
/** Ahead, so that what was just written may be sealed. */
const realClock = { now: () => clock.now() + 10_000 };
const logs: Record<'audit' | 'journal', SealedLog> = {
  audit: auditLines(realClock.now),
  journal: journalLines(realClock.now),
};

before(async () => {
  pool = (await createTestDatabase()).pool;
});

const writers = {
  audit: (i: number) =>
    inTransaction(pool, (connection) =>
      recordAct(
        connection,
        {
          kind: 'change',
          operation: 'test',
          resource: `/things/${i}`,
          subjects: [],
          outcome: 'done',
          actor: 'service',
        },
        {},
      ),
    ),
  journal: (i: number, at = clock.now()) =>
    inTransaction(pool, (connection) =>
      postEntries(
        connection,
        [
          {
            customerId: HOUSE_ID,
            kind: 'deposit_received',
            postings: [
              { account: 'bank', currency: 'EUR', amount: BigInt(i + 1) },
              { account: 'suspense', currency: 'EUR', amount: BigInt(-i - 1) },
            ],
          },
        ],
        at,
      ),
    ),
};

const seal = (name: 'audit' | 'journal', later = 0) =>
  sealLog({ pool, clock, realClock: { now: () => realClock.now() + later } }, logs[name]);

/** As the owner, and back again: what is done lasts as long as the work. */
async function asOwner(statements: readonly string[], work: () => Promise<void>): Promise<void> {
  const tables = ['audit_log', 'journal_entries', 'log_seals', 'log_tips', 'log_heads', 'log_nodes'];
  for (const table of tables) await ownerOf(pool).query(`create table kept_${table} as table ${table}`);
  const withoutTriggers = async (sql: readonly string[]) => {
    const connection = await ownerOf(pool).connect();
    try {
      await connection.query('set session_replication_role = replica');
      for (const statement of sql) await connection.query(statement);
    } finally {
      connection.release(true);
    }
  };
  await withoutTriggers(statements);
  try {
    await work();
  } finally {
    await withoutTriggers(
      tables.flatMap((table) => [
        `delete from ${table}`,
        `insert into ${table} select * from kept_${table}`,
        `drop table kept_${table}`,
      ]),
    );
  }
}

const TABLES = { audit: 'audit_log', journal: 'journal_entries' } as const;
const KEYS = { audit: 'number', journal: 'id' } as const;
const ALTERED = { audit: `outcome = 'other'`, journal: `at = at + interval '1 second'` } as const;

for (const name of ['audit', 'journal'] as const) {
  const table = TABLES[name];
  const key = KEYS[name];
  const nth = (n: number) => `(select ${key} from ${table} order by ${key} offset ${n - 1} limit 1)`;
  let keys: string[];

  test(`${name}: what is sealed verifies, in one batch or many`, async () => {
    for (let i = 0; i < 4; i++) await writers[name](i);
    assert.equal(await seal(name), 4);
    clock.advance(60_000);
    // A number that was drawn by who rolled back.
    await pool.query(`select nextval('audit_numbers')`);
    for (let i = 4; i < 9; i++) await writers[name](i);
    assert.equal(await seal(name), 5);
    assert.equal(await seal(name, LATE_MS + 60_000), 0, 'the second look finds nothing');
    assert.equal((await verifyLog(pool, logs[name])).fault, undefined);
    const { rows } = await pool.query<{ key: string }>(
      `select ${key}::text as key from ${table} order by ${key}`,
    );
    keys = rows.map((row) => row.key);
    assert.equal(keys.length, 9);
  });

  test(`${name}: one row that the owner alters is named`, async () => {
    await asOwner([`update ${table} set ${ALTERED[name]} where ${key} = ${nth(6)}`], async () => {
      assert.deepEqual((await verifyLog(pool, logs[name])).fault, {
        log: name,
        seal: '2',
        fault: 'altered',
        key: keys[5],
      });
    });
    assert.equal((await verifyLog(pool, logs[name])).fault, undefined);
  });

  test(`${name}: one that the owner deletes is missing behind the one before it`, async () => {
    await asOwner([`delete from ${table} where ${key} = ${nth(3)}`], async () => {
      assert.deepEqual((await verifyLog(pool, logs[name])).fault, {
        log: name,
        seal: '1',
        fault: 'missing',
        key: keys[1],
      });
    });
  });

  test(`${name}: one that the owner inserts is named`, async () => {
    const inserted =
      name === 'audit'
        ? `insert into audit_log (number, at, kind, operation, resource, subjects, outcome, actor, changes)
           select number + 1, at, kind, operation, resource, subjects, outcome, actor, changes from audit_log where number = ${nth(4)}`
        : `insert into journal_entries (customer_id, id, kind, at, accounts, currencies, amounts)
           select customer_id, (left(id::text, 24) || 'ffffffffffff')::uuid, kind, at, accounts, currencies, amounts from journal_entries where id = ${nth(2)}`;
    await asOwner([inserted], async () => {
      const fault = (await verifyLog(pool, logs[name])).fault;
      assert.equal(fault?.fault, 'inserted');
      assert.ok(!keys.includes(fault.key ?? ''), 'it is the new one');
    });
  });

  test(`${name}: two that the owner swaps are not in their places`, async () => {
    const what = name === 'audit' ? 'resource' : 'amounts';
    await asOwner(
      [
        `update ${table} t set ${what} = o.${what} from ${table} o
         where (t.${key} = ${nth(5)} and o.${key} = ${nth(7)}) or (t.${key} = ${nth(7)} and o.${key} = ${nth(5)})`,
      ],
      async () => {
        assert.deepEqual((await verifyLog(pool, logs[name])).fault, {
          log: name,
          seal: '2',
          fault: 'altered',
          key: keys[4],
        });
      },
    );
  });

  test(`${name}: the tail that the owner cuts, with its seal, is missed`, async () => {
    const verifier = new LogVerifier(logs[name]);
    assert.deepEqual(await verifier.step(pool, 100), { rows: 9, done: true });
    const rest = `delete from ${table} where ${key} > ${nth(4)}`;
    await asOwner([rest], async () => {
      assert.equal((await verifyLog(pool, logs[name])).fault?.fault, 'missing');
    });
    const cutSeals = [rest, `delete from log_seals where log = '${name}' and number > 1`];
    await asOwner(cutSeals, async () => {
      assert.equal((await verifyLog(pool, logs[name])).fault?.fault, 'seal_missing');
    });
    // With everything else that tells of it, whoever has verified before still knows.
    const tip = `update log_tips set (seals, looked, size, peaks, through_key) = (1, 1, 4, '', (select through_key from log_seals where log = '${name}')) where log = '${name}'`;
    await asOwner([...cutSeals, tip], async () => {
      assert.equal((await verifier.step(pool, 100)).fault?.fault, 'seal_missing');
    });
  });

  test(`${name}: a seal that the owner rewrites does not follow`, async () => {
    await asOwner(
      [`update log_seals set root = sha256('') where log = '${name}' and number = 1`],
      async () => {
        assert.deepEqual((await verifyLog(pool, logs[name])).fault, {
          log: name,
          seal: '1',
          fault: 'seal_wrong',
          key: undefined,
        });
      },
    );
  });
}

const signing = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
const keys: JSONWebKeySet = { keys: [{ ...(await exportJWK(signing.publicKey)), kid: 'k', alg: 'EdDSA' }] };

/** The file, line by line. */
async function exported(name: 'audit' | 'journal'): Promise<string[]> {
  const signer = async () => ({ kid: 'k', privateKey: signing.privateKey, verifies: () => true });
  let text = '';
  for await (const piece of exportLog({ pool, realClock, signer }, logs[name])) text += piece;
  return text.split('\n').slice(0, -1);
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}

for (const name of ['audit', 'journal'] as const) {
  test(`${name}: an export proves itself without the database, and names what is changed in either`, async () => {
    const lines = await exported(name);
    const proof = await verifyFile(each(lines), { sha256, keys });
    assert.deepEqual({ ...proof, root: '' }, { ok: true, log: name, rows: 9, root: '', signed: true });
    const isRow = (line: string) => !/^\{"(seal|head)":/.test(line);
    const places = lines.flatMap((line, i) => (isRow(line) ? [i] : []));
    const change = fc.constantFrom('alter', 'delete', 'insert', 'swap', 'cut');
    await fc.assert(
      fc.asyncProperty(change, fc.nat(places.length - 2), async (how, draw) => {
        const at = places[draw] ?? 0;
        const next = places[draw + 1] ?? 0;
        const changed = [...lines];
        if (how === 'alter') changed[at] = changed[at]?.replace('"kind":"', '"kind":"x') ?? '';
        if (how === 'delete') changed.splice(at, 1);
        if (how === 'insert') changed.splice(at, 0, '{"number":"0"}');
        if (how === 'swap') [changed[at], changed[next]] = [changed[next] ?? '', changed[at] ?? ''];
        if (how === 'cut') changed.splice(at, changed.length);
        assert.equal((await verifyFile(each(changed), { sha256, keys })).ok, false, how);
      }),
    );
    const other = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
    const foreign = { keys: [{ ...(await exportJWK(other.publicKey)), kid: 'k', alg: 'EdDSA' }] };
    assert.equal((await verifyFile(each(lines), { sha256, keys: foreign })).fault, 'signature_wrong');
    const table = TABLES[name];
    const key = KEYS[name];
    const altered = `update ${table} set ${ALTERED[name]} where ${key} = (select ${key} from ${table} order by ${key} desc limit 1)`;
    await asOwner([altered], async () => {
      const found = await verifyFile(each(await exported(name)), { sha256, keys });
      assert.deepEqual([found.ok, found.fault], [false, 'altered']);
      const last = JSON.parse(lines[places.at(-1) ?? 0] ?? '');
      assert.equal(found.row, last.entryId ?? last.number);
    });
  });
}

test('a journal entry that comes after the seal of its time is sealed by the second look', async () => {
  clock.advance(60_000);
  await writers.journal(20);
  const passed = clock.now();
  clock.advance(60_000);
  assert.equal(await seal('journal'), 1);
  await writers.journal(21, passed + 1);
  assert.equal(await seal('journal'), 0);
  assert.equal((await verifyLog(pool, logs.journal)).fault, undefined, 'it may still be under way');
  await seal('journal', LATE_MS + 60_000);
  const { rows } = await pool.query<{ late: number }>(
    'select coalesce(sum(cardinality(late)), 0)::int as late from log_seals',
  );
  assert.deepEqual(rows, [{ late: 1 }]);
  assert.equal((await verifyLog(pool, logs.journal)).fault, undefined);
});

test('rows under one seal are read in pieces, to the last one of a piece that is full', async () => {
  await seal('journal');
  const sealsOf = async () => {
    const text = `select rows::int from log_seals where log = 'journal' order by number desc limit 1`;
    return (await pool.query<{ rows: number }>(text)).rows[0]?.rows;
  };
  for (const rows of [450, 400]) {
    // Behind what is sealed.
    clock.advance(60_000);
    for (let i = 0; i < rows; i++) await writers.journal(i);
    const asked: number[] = [];
    const { lines } = logs.journal;
    const counted: SealedLog = {
      ...logs.journal,
      lines: (database, after, through, most) => {
        asked.push(most);
        return lines(database, after, through, most);
      },
    };
    assert.equal(await sealLog({ pool, clock, realClock }, counted), rows);
    assert.equal(await sealsOf(), rows);
    // What follows is for blocks, which are kept of rows of earlier seals too.
    assert.deepEqual(asked.slice(0, 3), [200, 200, 200]);
  }
  assert.equal((await verifyLog(pool, logs.journal)).fault, undefined);
});
