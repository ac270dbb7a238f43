import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { startTestService } from '../../service/test/support/service.ts';
import { type ConsolePage, openBrowser } from '../src/chromium.ts';

/**
 * `node --test packages/browser/test/bench.ts`
 *
 * The page of the markets in Chromium, fed with 30 pairs 20 times a second, which is more than the service sends: frames, long
 * tasks, work of the main thread, and how soon the first page stands. What it prints is for `docs/console.md`; nothing is judged.
 */
const PAIRS_MAX = 30;
const EVERY_50_MS = 50;
const SECONDS = 10;

/** Hands everything on to the service but the stream of prices, which it makes itself. */
async function openFeed() {
  let target = '';
  const server = createServer((asked, answer) => {
    if (asked.url?.startsWith('/v1/operator/prices/stream') === true) return feed(asked, answer);
    const { method, headers, url } = asked;
    const onward = request(`${target}${url}`, { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 500, got.headers);
      got.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    leadsTo: (to: string) => {
      target = to;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function feed({ url = '' }: IncomingMessage, answer: ServerResponse): void {
  const pairs = (new URL(url, 'http://x').searchParams.get('pairs') ?? '').split(',').slice(0, PAIRS_MAX);
  answer.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  answer.write('event: market\ndata: {"pair":"*","state":"open"}\n\n');
  let turn = 0;
  const timer = setInterval(() => {
    turn++;
    const asOf = new Date().toISOString();
    for (const [index, pair] of pairs.entries()) {
      const pips = 10_000 + ((turn * (index + 7)) % 80_000);
      const [bid, ask] = [`1.${String(pips).padStart(5, '0')}`, `1.${String(pips + 9).padStart(5, '0')}`];
      const data = { pair, bid, ask, mid: bid, asOf, spotDate: null, tradable: true };
      answer.write(
        `id: 0badcafe-${String(turn * 100 + index).padStart(9, '0')}\nevent: price\ndata: ${JSON.stringify(data)}\n\n`,
      );
    }
  }, EVERY_50_MS);
  answer.on('close', () => clearInterval(timer));
}

const MEASURE = `new Promise((resolve) => {
  const frames = [];
  let longTasks = 0;
  new PerformanceObserver((list) => (longTasks += list.getEntries().length)).observe({ type: 'longtask' });
  const began = performance.now();
  let before;
  const frame = (at) => {
    if (before !== undefined) frames.push(at - before);
    before = at;
    if (performance.now() - began < ${SECONDS * 1_000}) requestAnimationFrame(frame);
    else {
      frames.sort((a, b) => a - b);
      resolve({ fps: (frames.length / (performance.now() - began)) * 1000, p95: frames[Math.ceil(frames.length * 0.95) - 1], max: frames.at(-1), longTasks });
    }
  };
  requestAnimationFrame(frame);
})`;
const PAINTED = `new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
  .observe({ type: 'largest-contentful-paint', buffered: true }))`;

interface Metrics {
  readonly metrics: readonly { readonly name: string; readonly value: number }[];
}

test('frames', { timeout: 120_000 }, async (t) => {
  const browser = await openBrowser();
  if (typeof browser === 'string') return t.skip(browser);
  const line = await openFeed();
  const service = await startTestService({ FIRMQUOTE_BASE_URL: line.url });
  line.leadsTo(service.application.localUrl);
  const context = await browser.newContext<ConsolePage>({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${line.url}/console/overview`);
  await page.getByRole('button', { name: /Dana Dealer/ }).click();
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  const paints: number[] = [];
  for (let load = 0; load < 3; load++) {
    await page.goto(`${line.url}/console/markets`);
    paints.push((await page.evaluate(PAINTED)) as number);
  }
  await page.locator('.tile[data-state="live"]').first().waitFor();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  for (const rate of [1, 4]) {
    await session.send('Emulation.setCPUThrottlingRate', { rate });
    const before = (await session.send('Performance.getMetrics')) as Metrics;
    const { fps, p95, max, longTasks } = (await page.evaluate(MEASURE)) as Record<string, number>;
    const after = (await session.send('Performance.getMetrics')) as Metrics;
    const share = (name: string) => {
      const of = ({ metrics }: Metrics) => metrics.find((each) => each.name === name)?.value ?? 0;
      return `${(((of(after) - of(before)) / SECONDS) * 100).toFixed(1)} %`;
    };
    t.diagnostic(
      `CPU ${rate}x slower: ${fps?.toFixed(1)} fps, frame p95 ${p95?.toFixed(1)} ms, longest ${max?.toFixed(0)} ms, ${longTasks} long tasks; ` +
        `task ${share('TaskDuration')}, script ${share('ScriptDuration')}, layout ${share('LayoutDuration')}`,
    );
  }
  t.diagnostic(`largest paint after ${paints.map((ms) => ms.toFixed(0)).join(', ')} ms`);
  await browser.close();
  line.close();
});
