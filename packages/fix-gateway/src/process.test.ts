import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import type { OrderUpdate } from '../../service/src/market/fix/venue.ts';
import { JUMP } from './sequence-store.ts';
import { settings, THEM, temporaryFolder, US, until } from './testing/harness.ts';
import { openHouse } from './testing/house.ts';
import { MarketMaker } from './testing/market-maker.ts';
import { sequencePath } from './venue.ts';

async function openMaker(t: TestContext): Promise<MarketMaker> {
  const maker = await MarketMaker.open({ compId: THEM, password: 'open sesame', intervalMs: 0 });
  t.after(() => maker.close());
  return maker;
}

test('prices, quotes and orders through the process; it logs out before it ends', async (t) => {
  const maker = await openMaker(t);
  const folder = temporaryFolder(t);
  const { gateway, source, ticks } = openHouse(t, folder, settings(maker.venue.port));
  await until('a tick', () => ticks.length > 0);
  const [tick] = ticks;
  assert.deepEqual(
    [tick?.pair, tick?.source, tick?.bid],
    ['EURUSD', 'fix:lp', { units: 116_999n, scale: 5 }],
  );
  assert.ok((tick?.at ?? 0) <= Date.now() && Date.now() - (tick?.at ?? 0) < 5_000);
  const quote = await source.venue.requestQuote({
    id: 'q1',
    pair: 'EURUSD',
    side: 'sell',
    quantity: '1000.00',
  });
  assert.deepEqual([quote.bid, quote.ask], ['1.16999', undefined]);
  const updates: OrderUpdate[] = [];
  source.venue.placeOrder(
    {
      id: 'o1',
      pair: 'EURUSD',
      side: 'sell',
      quantity: '1000.00',
      type: 'market',
      timeInForce: 'fillOrKill',
    },
    (update) => updates.push(update),
  );
  await until('the report', () => updates.length > 0);
  const [update] = updates;
  assert.ok(update?.type === 'execution' && update.status === 'filled' && update.lastPrice === '1.16999');
  const session = [...maker.venue.sessions][0];
  await source.stop();
  assert.equal(gateway.pid, undefined);
  assert.ok(
    session?.received.some((message) => message.includes('|35=5|')),
    'a logout',
  );
  assert.match(readFileSync(sequencePath(folder, settings(1)), 'latin1'), / closed\n$/);
});

test('the gateway is killed: it is started again, and its numbers go on', async (t) => {
  const maker = await openMaker(t);
  const { gateway, source, ticks } = openHouse(t, temporaryFolder(t), settings(maker.venue.port));
  await until('a tick', () => ticks.length > 0);
  const updates: OrderUpdate[] = [];
  process.kill(gateway.pid ?? 0, 'SIGKILL');
  source.venue.placeOrder(
    { id: 'o1', pair: 'EURUSD', side: 'sell', quantity: '1', type: 'market', timeInForce: 'fillOrKill' },
    (update) => updates.push(update),
  );
  await until('the loss', () => updates.length > 0);
  assert.equal(updates[0]?.type, 'orderUnknown', 'it may have been sent');
  const before = ticks.length;
  await until('ticks again', () => ticks.length > before);
  assert.equal(gateway.restarts, 1);
  await until('the status', () => source.session?.state === 'up');
  assert.ok((source.session?.nextSent ?? 0) > JUMP);
  assert.ok(maker.venue.numbersOf(US).nextReceived > JUMP, 'the venue has taken the gap fill');
});

test('the gateway ends with the service, also when that is killed', async (t) => {
  const maker = await openMaker(t);
  const folder = temporaryFolder(t);
  const service = join(import.meta.dirname, '../../service/src');
  const program = `
    import { GatewayProcess } from '${service}/market/fix/gateway-process.ts';
    import { createLogger } from '${service}/platform/logger.ts';
    const gateway = new GatewayProcess({ folder: process.argv[1], logger: createLogger('silent') });
    gateway.attach(JSON.parse(process.argv[2]), {
      line: () => process.stdout.write(gateway.pid + '\\n'),
      status: () => {},
      lost: () => {},
    });`;
  const session = JSON.stringify(settings(maker.venue.port));
  const parent = spawn(process.execPath, ['--input-type=module', '-e', program, folder, session], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => parent.kill('SIGKILL'));
  const [line] = await once(createInterface(parent.stdout), 'line');
  const pid = Number.parseInt(String(line), 10);
  parent.kill('SIGKILL');
  await until('the end of the gateway', () => !isAlive(pid));
  assert.match(readFileSync(sequencePath(folder, settings(1)), 'latin1'), / closed\n$/, 'it has logged out');
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
