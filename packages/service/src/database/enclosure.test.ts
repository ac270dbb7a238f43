import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createTestDatabase } from '../../test/support/database.ts';
import { afterCommit, current, enclose, inside, outside, refuseToTakeOver } from './enclosure.ts';
import { type Connection, inTransaction, type Pool } from './pool.ts';

let pool: Pool;

before(async () => {
  ({ owner: pool } = await createTestDatabase({ connections: 4 }));
  await pool.query(`
    create table notes (text text primary key);
    create sequence note_numbers;
    create function write_note(note text) returns void language sql as 'insert into notes values (note)'`);
});

const write = (text: string) =>
  inTransaction(pool, (connection) => connection.query('insert into notes values ($1)', [text]));

async function notes(of: Pick<Pool, 'query'> | Connection = pool): Promise<string[]> {
  const { rows } = await of.query<{ text: string }>('select text from notes order by text');
  return rows.map(({ text }) => text);
}

async function emptied(): Promise<void> {
  await pool.query('delete from notes');
}

test('transactions of enclosed work are committed with the one around them, and memory hears of it after that', async () => {
  await emptied();
  const reported: string[] = [];
  const enclosed = await inTransaction(pool, (connection) =>
    enclose(connection, async () => {
      await write('one');
      await afterCommit(() => reported.push('one'));
      await inTransaction(pool, async () => {
        await write('two');
        await afterCommit(() => reported.push('two'));
      });
      await current(pool).query("insert into notes values ('three')");
      assert.deepEqual(await notes(), [], 'others see nothing yet');
      assert.deepEqual((await current(pool).query('select from notes')).rowCount, 3);
      return outside(() => notes());
    }),
  );
  assert.deepEqual([enclosed.result, reported], [[], []]);
  await enclosed.committed();
  assert.deepEqual(
    [await notes(), reported],
    [
      ['one', 'three', 'two'],
      ['one', 'two'],
    ],
  );
});

test('what fails inside is undone by itself, with what it would have told', async () => {
  await emptied();
  const reported: string[] = [];
  const enclosed = await inTransaction(pool, (connection) =>
    enclose(connection, async () => {
      await write('kept');
      const failed = inTransaction(pool, async () => {
        await write('lost');
        await afterCommit(() => reported.push('lost'));
        await write('kept');
      });
      await assert.rejects(failed, { code: '23505' });
      // Both at once take turns: they share a connection.
      await Promise.all([write('left'), write('right')]);
    }),
  );
  await enclosed.committed();
  assert.deepEqual([await notes(), reported], [['kept', 'left', 'right'], []]);
});

test('enclosed work that is undone leaves nothing, and cannot write past its transaction', async () => {
  await emptied();
  const undone = inTransaction(pool, (connection) =>
    enclose(connection, async () => {
      await write('trial');
      for (const past of [
        "insert into notes values ('past')",
        'update notes set text = text',
        'with gone as (delete from notes returning text) select * from gone',
        "select write_note('past')",
        "do $$ begin insert into notes values ('past'); end $$",
        "copy notes from program 'echo past'",
        'create table more_notes (text text)',
        "select nextval('note_numbers')",
        'select text from notes for update',
      ]) {
        await assert.rejects(pool.query(past), /writes past the transaction/, past);
      }
      // Over a connection of its own, and while somebody only reads what was there before.
      const own = await pool.connect();
      await assert.rejects(own.query("insert into notes values ('past')"), { code: '25006' });
      own.release();
      await outside(async () => {
        await assert.rejects(write('past'), /writes past the transaction/);
        await assert.rejects(pool.query("select write_note('past')"), /writes past the transaction/);
      });
      assert.throws(() => refuseToTakeOver('a document'), /before it is committed/);
      throw new Error('given up');
    }),
  );
  await assert.rejects(undone, /given up/);
  assert.deepEqual(await notes(), []);
  // The connections write again for whoever has them next.
  await Promise.all(['a', 'b', 'c', 'd'].map((text) => pool.query('insert into notes values ($1)', [text])));
  assert.deepEqual(await notes(), ['a', 'b', 'c', 'd']);
});

test('what looks inside sees what is not committed yet, also over the pool', async () => {
  await emptied();
  await write('before');
  const undone = inTransaction(pool, async (connection) => {
    await enclose(connection, () => write('trial'));
    assert.deepEqual(await inside(connection, () => notes()), ['before', 'trial']);
    assert.deepEqual(await outside(() => notes()), ['before']);
    throw new Error('given up');
  });
  await assert.rejects(undone, /given up/);
  assert.deepEqual(await notes(), ['before']);
});

test('what enclosed work has left running is on its own once that is over', async () => {
  await emptied();
  let go: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  let late: Promise<unknown> = Promise.resolve();
  await inTransaction(pool, (connection) =>
    enclose(connection, async () => {
      late = gate.then(() => write('late'));
    }),
  );
  go();
  await late;
  assert.deepEqual(await notes(), ['late']);
  refuseToTakeOver('nothing');
});

test('what is committed is done, though the database is away when memory is to hear of it', async () => {
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const failing = (error: Error) => () => Promise.reject(error);
  await afterCommit(failing(away));
  await assert.rejects(afterCommit(failing(new TypeError('a fault'))), /a fault/);
  const reported: string[] = [];
  const { committed } = await inTransaction(pool, (connection) =>
    enclose(connection, async () => {
      await afterCommit(failing(away));
      await afterCommit(() => reported.push('heard'));
    }),
  );
  await committed();
  assert.deepEqual(reported, ['heard']);
});
