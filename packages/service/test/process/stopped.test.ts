import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { QUOTE_BODY, sandboxApis } from '../support/api.ts';
import { countOf } from '../support/audit.ts';
import { createTestDatabase, ownerOf } from '../support/database.ts';
import { startService, temporaryFolder, until } from '../support/process.ts';

/** A machine may stand still: it swaps, or is moved. Whoever has asked meanwhile has given up. */

const CALLERS = 30;

test('what was asked while it stood still, by callers who are gone, is passed over and does not hold up its stop', async (t) => {
  const { url, pool } = await createTestDatabase();
  const service = await startService(t, temporaryFolder(t), { DATABASE_URL: url });
  const { customer } = await sandboxApis(service);
  await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  const { hostname, port } = new URL(service.baseUrl);
  const before = await countOf(pool, 'quotes');

  service.child.kill('SIGSTOP');
  const body = JSON.stringify(QUOTE_BODY);
  for (let i = 0; i < CALLERS; i++) {
    const socket = connect(Number.parseInt(port, 10), hostname);
    await once(socket, 'connect');
    const head = [
      'POST /v1/customer/quotes HTTP/1.1',
      `Host: ${hostname}`,
      // Some are known only by their address.
      ...(i % 3 === 0 ? [] : [`Authorization: Bearer ${customer.token}`]),
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    await new Promise((resolve) => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, resolve));
    // Without a word, as a machine that is switched off, or with one.
    if (i % 2 === 0) socket.resetAndDestroy();
    else socket.destroy();
    await once(socket, 'close');
  }
  service.child.kill('SIGCONT');
  await customer.expect(200, 'GET', '/v1/customer/limits');
  const { code, stdout } = await service.end('SIGTERM');
  assert.equal(code, 0, stdout);
  assert.deepEqual(
    stdout.split('\n').filter((line) => /^\{"level":"(error|fatal)"/.test(line)),
    [],
  );
  t.diagnostic(`${(await countOf(pool, 'quotes')) - before} of ${CALLERS} were done`);
});

test('what it has locked is let go while it stands still, and whoever waits for it afterwards is told that nothing was done', async (t) => {
  const { url, pool } = await createTestDatabase();
  const service = await startService(t, temporaryFolder(t), { DATABASE_URL: url });
  const { customer, operator } = await sandboxApis(service);
  const { body } = await operator.expect(200, 'GET', '/v1/operator/customers');
  const path = `/v1/operator/customers/${body.items[0].customerId}`;
  const before = await operator.expect(200, 'GET', path);

  // Its transaction waits in the middle, so that it is stopped there.
  const gate = ownerOf(pool);
  await gate.query(`create table gate (id integer primary key); insert into gate values (1); grant select, update on gate to public;
    create function pass_gate() returns trigger language plpgsql as $$ begin perform from gate for update; return new; end $$;
    create trigger pass_gate before update on customers for each row execute function pass_gate()`);
  const keeper = await gate.connect();
  await keeper.query('begin; select from gate for update');
  const held = operator.call(
    'PATCH',
    path,
    { name: 'Renamed' },
    { 'If-Match': before.headers.get('ETag') ?? '' },
  );
  await until('it waits in the middle', async () => {
    const { rowCount } = await pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and backend_xid is not null`,
    );
    return rowCount === 1;
  });
  service.child.kill('SIGSTOP');
  await keeper.query('rollback');
  keeper.release();
  // From here on its transaction idles. Somebody else needs the row, and gets it.
  await gate.query('set lock_timeout = 0; update customers set name = name');

  service.child.kill('SIGCONT');
  const answer = await held;
  // By whether it finds the end of its connection before or after it asks for more.
  assert.equal(answer.status, 503, answer.text);
  assert.match(answer.body.code, /^(overloaded|maintenance)$/);
  const after = await operator.expect(200, 'GET', path);
  assert.deepEqual(
    [after.body.name, after.headers.get('ETag')],
    [before.body.name, before.headers.get('ETag')],
  );
  await customer.expect(201, 'POST', '/v1/customer/quotes', QUOTE_BODY);
  assert.doesNotMatch(service.stdout(), /"level":"(error|fatal)"/);
  await service.end('SIGTERM');
});
