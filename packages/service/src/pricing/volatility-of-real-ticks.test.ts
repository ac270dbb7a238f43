import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { bps, findPair, formatDecimal, parseDecimal, volatilityPremium } from '@firmquote/fx';
import { RateBook } from '../market/rate-book.ts';
import { openTickFile } from '../market/sources/tick-file.ts';
import { parseTickLine } from '../market/sources/tick-lines.ts';
import { VolatilityRecorder } from './volatility.ts';

const TICKS = resolve(
  import.meta.dirname,
  '../../../../../shared/data/rates/ticks-lean/oanda-eurusd-20140506.zip',
);
const MIDNIGHT = Date.UTC(2014, 4, 6);
const FOUR_HOURS_MS = 14_400_000;
const decimal = (text: string) => parseDecimal(text) ?? assert.fail(text);
const EURUSD = findPair('EURUSD') ?? assert.fail();

test('a morning of the euro: the premium of a promise is what floating-point statistics say it is', async (t) => {
  if (!existsSync(TICKS)) {
    t.skip(`there is no ${TICKS}`);
    return;
  }
  let now = MIDNIGHT;
  const clock = { now: () => now };
  const book = new RateBook({ clock });
  const recorder = new VolatilityRecorder({ book, clock });
  const file = await openTickFile(TICKS);
  const samples: { at: number; mid: number }[] = [];
  const end = MIDNIGHT + 10 * 3_600_000;
  for await (const line of createInterface({ input: file.bytes })) {
    const tick = parseTickLine(line);
    if (tick === undefined) continue;
    now = MIDNIGHT + tick.millis;
    if (now > end) break;
    const taken = book.apply({ pair: 'EURUSD', bid: tick.bid, ask: tick.ask, at: now, source: 'oanda' });
    const last = samples.at(-1);
    if (taken !== 'accepted' || (last !== undefined && now - last.at < 5_000)) continue;
    // The independent reading: logarithmic returns of the same samples, in floating point.
    const mid = (Number.parseFloat(formatDecimal(tick.bid)) + Number.parseFloat(formatDecimal(tick.ask))) / 2;
    samples.push({ at: now, mid });
  }
  file.close();
  now = end;
  const variance = recorder.varianceOf(EURUSD, FOUR_HOURS_MS, 1_000) ?? assert.fail('too few returns');
  let squares = 0;
  let elapsedMs = 0;
  for (const [index, { at, mid }] of samples.entries()) {
    const before = samples[index - 1];
    if (before === undefined || at - before.at > 300_000 || at < end - FOUR_HOURS_MS) continue;
    squares += Math.log(mid / before.mid) ** 2;
    elapsedMs += at - before.at;
  }
  const sigmaBps = (seconds: number) => Math.sqrt((squares / elapsedMs) * 1_000 * seconds) * 10_000;
  for (const seconds of [10, 30, 60, 300]) {
    const premium = volatilityPremium({
      variance,
      seconds,
      multiplier: decimal('1'),
      floorBps: bps(0n),
      capBps: bps(10_000n),
    });
    const difference = Number.parseFloat(formatDecimal(premium)) - sigmaBps(seconds);
    assert.ok(
      Math.abs(difference) < 0.02,
      `${seconds} s: ${formatDecimal(premium)} and ${sigmaBps(seconds)}`,
    );
  }
  // A quiet major moves by a few tenths of a basis point in half a minute, not by tenths of a percent.
  assert.ok(sigmaBps(30) > 0.1 && sigmaBps(30) < 5, String(sigmaBps(30)));
});
