import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compare, findPair, formatDecimal } from '@firmquote/fx';
import { RateBook, type Tick } from '../rate-book.ts';
import { ReplaySource, type ReplaySourceOptions } from './replay.ts';
import { eventually, zipOf } from './test-support.ts';
import { TickFileError } from './tick-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'replay-'));
after(() => rmSync(folder, { recursive: true }));
const NOW = Date.UTC(2026, 2, 4, 14, 30);
const LINES = ['0,1.38833,1.38835', '500,1.38834,1.38836', 'broken', '1000,1.3883500,1.38837'];

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function setUp(options: Partial<ReplaySourceOptions> & { readonly file: string }) {
  const clock = { at: NOW, now: () => clock.at };
  const source = new ReplaySource({ clock, pair: 'EURUSD', speed: 'manual', ...options });
  const ticks: Tick[] = [];
  return { clock, source, ticks, sink: (tick: Tick) => void ticks.push(tick) };
}

function textOf(tick: Tick | undefined): string | undefined {
  return tick && `${formatDecimal(tick.bid)}/${formatDecimal(tick.ask)}`;
}

test('stepped by hand: exact prices, stamped with the injected clock, broken lines counted, from the start again', async () => {
  const { clock, source, ticks, sink } = setUp({ file: fileOf('hand.csv', LINES.join('\n')) });
  assert.equal(await source.step(), undefined);
  await source.start(sink);
  assert.equal(ticks.length, 0);
  assert.deepEqual(await source.step(), {
    pair: 'EURUSD',
    bid: { units: 138833n, scale: 5 },
    ask: { units: 138835n, scale: 5 },
    at: NOW,
    source: 'replay:EURUSD',
  });
  clock.at = NOW + 7;
  assert.equal(textOf(await source.step()), '1.38834/1.38836');
  assert.equal(textOf(await source.step()), '1.3883500/1.38837');
  assert.equal(textOf(await source.step()), '1.38833/1.38835');
  await source.refresh();
  assert.deepEqual(
    ticks.map((tick) => [textOf(tick), tick.at]),
    [
      ['1.38833/1.38835', NOW],
      ['1.38834/1.38836', NOW + 7],
      ['1.3883500/1.38837', NOW + 7],
      ['1.38833/1.38835', NOW + 7],
      ['1.38834/1.38836', NOW + 7],
    ],
  );
  // The second lap has read the broken line again.
  assert.deepEqual(source.health(), { state: 'running', ticks: 5, lastTickAt: NOW + 7, skippedLines: 2 });
  await source.stop();
  assert.equal(await source.step(), undefined);
  assert.equal(source.health().state, 'stopped');
});

test('without a loop it ends with the recording', async () => {
  const { source, ticks, sink } = setUp({ file: fileOf('once.csv', LINES.join('\n')), loop: false });
  await source.start(sink);
  while ((await source.step()) !== undefined);
  assert.equal(ticks.length, 3);
  assert.equal(source.health().state, 'ended');
  await source.stop();
  assert.equal(source.health().state, 'ended');
});

test('a file without a tick, or none at all, stops the start with one line', async () => {
  for (const file of [
    fileOf('empty.csv', ''),
    fileOf('header.csv', 'time,bid,ask\n'),
    join(folder, 'absent.csv'),
  ]) {
    const { source, sink } = setUp({ file, speed: 1 });
    await assert.rejects(async () => source.start(sink), TickFileError);
    await source.stop();
  }
});

test('a csv and a zip of it play the same ticks', async () => {
  const lines = Array.from(
    { length: 20_000 },
    (_, i) => `${i * 4},1.${10_000 + (i % 977)},1.${11_000 + (i % 977)}`,
  );
  const content = lines.join('\n');
  const played: string[][] = [];
  for (const file of [fileOf('same.csv', content), fileOf('same.zip', zipOf([{ name: 'a.csv', content }]))]) {
    const { source, ticks, sink } = setUp({ file, speed: 'max' });
    await source.start(sink);
    await eventually(() => source.health().state === 'ended', 'the recording ends');
    await source.stop();
    played.push(ticks.map((tick) => `${textOf(tick)}`));
  }
  assert.equal(played[0]?.length, 20_000);
  assert.deepEqual(played[0], played[1]);
});

test('the pace is the recording’s times the factor, over laps', async () => {
  const { source, ticks, sink } = setUp({ file: fileOf('pace.csv', LINES.join('\n')), speed: 20 });
  const begun = performance.now();
  const heard: number[] = [];
  await source.start((tick) => {
    heard.push(performance.now() - begun);
    sink(tick);
  });
  assert.equal(ticks.length, 1);
  await eventually(() => ticks.length >= 4, 'the second lap begins');
  await source.stop();
  // From before the start: the first may be late, and those after it are not late because of that.
  const [, second, third, fourth] = heard;
  assert.ok(second !== undefined && third !== undefined && fourth !== undefined);
  // 500 ms of recording at twenty times are 25 ms; timers may fire up to a millisecond early, and late by load.
  assert.ok(second >= 24 && third >= 49 && fourth >= 49 + 249, heard.join(' '));
  assert.ok(third < 900, 'far from the 1,000 ms of the recording');
  const count = ticks.length;
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.equal(ticks.length, count, 'nothing comes after stop');
});

test('refresh plays the next tick at once, however far away it is, and the rest keeps its pace', async () => {
  const file = fileOf('gap.csv', '0,1.1,1.2\n3600000,1.3,1.4\n3600010,1.5,1.6\n7200000,1.7,1.8\n');
  const { clock, source, ticks, sink } = setUp({ file, speed: 1 });
  await source.start(sink);
  assert.equal(ticks.length, 1);
  clock.at += 3_600_000;
  await source.refresh();
  assert.equal(textOf(ticks[1]), '1.3/1.4');
  assert.equal(ticks[1]?.at, NOW + 3_600_000);
  await eventually(() => ticks.length === 3, 'the tick 10 ms later');
  await source.stop();
});

test('a recording that becomes unreadable fails, says why, and sends nothing more', async () => {
  const file = fileOf('vanishing.csv', '0,1.1,1.2\n');
  const { source, ticks, sink } = setUp({ file, speed: 1 });
  await source.start(sink);
  rmSync(file);
  await eventually(() => source.health().state === 'failed', 'the second lap fails');
  assert.match(source.health().error ?? '', /vanishing\.csv: ENOENT/);
  assert.equal(ticks.length, 1);
  await source.refresh();
  await source.stop();
  assert.equal(source.health().state, 'failed');
});

test('wrong options are refused', () => {
  assert.throws(() => setUp({ file: 'a.csv', pair: 'USDEUR' }), RangeError);
  assert.throws(() => setUp({ file: 'a.csv', speed: 0 }), RangeError);
});

test('real ticks through the book: what is shown is never crossed', async (t) => {
  const real = fileURLToPath(new URL('../../../../../../shared/data/rates/ticks-lean/', import.meta.url));
  if (!existsSync(real)) {
    t.skip('the recordings are not at ../shared/data/rates/ticks-lean');
    return;
  }
  const counts: Record<string, readonly [accepted: number, crossed: number]> = {};
  for (const name of readdirSync(real)
    .filter((file) => /20140506\.zip$/.test(file))
    .sort()) {
    const code = name.includes('nzdusd') ? 'NZDUSD' : 'EURUSD';
    const pair = findPair(code);
    assert.ok(pair);
    const { clock, source } = setUp({ file: join(real, name), pair: code, loop: false });
    const book = new RateBook({ clock });
    await source.start((tick) => {
      if (book.apply(tick) !== 'accepted') return;
      const reading = book.read(pair);
      assert.ok(reading.status === 'fresh' && compare(reading.price.bid, reading.price.ask) <= 0);
    });
    while ((await source.step()) !== undefined) clock.at += 1;
    await source.stop();
    assert.equal(source.health().skippedLines, 0);
    assert.equal(book.accepted + book.rejected.crossed, source.health().ticks);
    counts[name] = [book.accepted, book.rejected.crossed];
    t.diagnostic(`${name}: ${book.accepted} ticks accepted, ${book.rejected.crossed} crossed ones refused`);
  }
  assert.deepEqual(counts, {
    'fxcm-eurusd-20140506.zip': [92_683, 9_999],
    'fxcm-nzdusd-20140506.zip': [106_351, 2_650],
    'oanda-eurusd-20140506.zip': [44_864, 0],
    'oanda-nzdusd-20140506.zip': [49_798, 0],
  });
});
