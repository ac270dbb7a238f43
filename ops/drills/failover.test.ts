import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPool } from '../../packages/service/src/database/pool.ts';
import { createDesks, withToken } from '../../packages/service/test/support/api.ts';
import { examine } from '../../packages/service/test/support/examine.ts';
import { startService, temporaryFolder, until } from '../../packages/service/test/support/process.ts';
import { Traffic } from '../../packages/service/test/support/traffic.ts';
import { countTrades, longestGap, tellCounts } from './counts.ts';
import { type NodeName, PatroniPair, skipWithoutPatroni } from './patroni.ts';

/** What docs/operations/database.md says of a failover, on the programs that it names. */

const CLIENTS = 8;
const BEFORE = 200;
const AFTER = 100;
/** The service trades again after this, by either fault. */
const WITHOUT_SERVICE_S = 15;

test('the primary is lost under load: the synchronous standby takes over, and no trade is lost or doubled', {
  skip: skipWithoutPatroni(),
}, async (t) => {
  const pair = await PatroniPair.start(t);
  const service = await startService(t, temporaryFolder(t), { DATABASE_URL: pair.url });
  const desks = await createDesks(service);
  const pool = createPool({ connection: pair.url, max: 1, onError: () => undefined });
  t.after(() => pool.end());

  const faults: readonly (readonly [name: string, (primary: NodeName) => void | Promise<void>])[] = [
    ['its server is killed', (primary) => pair.killServer(primary)],
    ['its machine is gone', (primary) => pair.killNode(primary)],
  ];
  for (const [name, lose] of faults) {
    const before = await pair.primary();
    const traffic = new Traffic(desks, CLIENTS);
    await traffic.acknowledged(BEFORE);
    const killedAt = performance.now();
    await lose(before);
    await traffic.acknowledged(AFTER);
    await traffic.stop();
    assert.notEqual(await pair.primary(), before, 'another server is the primary');
    assert.equal(service.child.exitCode, null, 'the service is the same process');
    await examine(t, pool, desks, traffic);
    const gap = longestGap(traffic, killedAt);
    t.diagnostic(`${name}:`);
    tellCounts(t, await countTrades(pool, traffic), { 'seconds without service': gap });
    assert.ok(gap < WITHOUT_SERVICE_S, `${gap} s without service`);
    if (name === 'its machine is gone') pair.startNode(before);
    await pair.synchronous();
    // As if minutes had passed: Patroni cannot rewind a server that is lost before the first checkpoint as a primary.
    await pool.query('checkpoint');
    const anybody = withToken(service.baseUrl, '');
    await until('it is ready', async () => (await anybody.call('GET', '/readyz')).status === 200);
  }
});
