import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { test } from 'node:test';
import { createTestDatabase } from '../support/database.ts';
import { startService, temporaryFolder, until } from '../support/process.ts';
import { connectToEach, pidsOf } from '../support/processes.ts';

/** Each is a line of the log. */
const LONG_PATH = `/${'x'.repeat(12_000)}`;
/** Many times what the pipes between the processes hold. */
const REQUESTS = 150;

const STORIES = [
  ['a reader that stops reading', 1, (stdout: Readable) => stdout.pause()],
  ['a reader that stops reading', 2, (stdout: Readable) => stdout.pause()],
  ['a reader that is gone', 2, (stdout: Readable) => stdout.destroy()],
] as const;

for (const [reader, count, leave] of STORIES) {
  test(`the log of ${count === 1 ? 'a service' : 'several processes'} has ${reader}: all goes on, and stops in order`, async (t) => {
    const { url } = await createTestDatabase();
    const environment = { FIRMQUOTE_PROCESSES: String(count), FIRMQUOTE_ACCESS_LOG: 'all' };
    const service = await startService(t, temporaryFolder(t), { DATABASE_URL: url, ...environment });
    const each = await connectToEach(t, service, count);
    const { child } = service;
    const stdout = child.stdout ?? assert.fail();
    leave(stdout);
    try {
      for (const { call } of each) {
        for (let asked = 0; asked < REQUESTS; asked++)
          assert.ok([404, 429].includes((await call('GET', LONG_PATH)).status));
        assert.equal((await call('GET', '/healthz')).status, 200);
      }
      if (count > 1) {
        const [first] = each;
        const isReady = async () => (await first?.call('GET', '/readyz'))?.status === 200;
        process.kill(pidsOf(service).get(2) ?? 0, 'SIGKILL');
        await until('it is missed', async () => !(await isReady()));
        await until('it is back', isReady);
      }
      child.kill('SIGTERM');
      assert.deepEqual(await once(child, 'exit'), [0, null]);
    } finally {
      stdout.resume();
    }
  });
}
