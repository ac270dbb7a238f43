import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '../../platform/clock.ts';
import { parseVendorEpoch, parseVendorInstant, VendorTime } from './vendor-time.ts';

const STAMP = Date.UTC(2016, 11, 20, 5, 55, 35, 676);

test('nanoseconds are cut off, never rounded up into the future', () => {
  assert.equal(parseVendorInstant('2016-12-20T05:55:35.676011610Z'), STAMP);
  assert.equal(parseVendorInstant('2016-12-20T05:55:35.676999999Z'), STAMP);
  assert.equal(parseVendorInstant('2016-12-20T05:55:35.67Z'), STAMP - 6);
  assert.equal(parseVendorInstant('2016-12-20T06:55:35.676+01:00'), STAMP);
  assert.equal(parseVendorInstant('2016-12-20T05:55:35Z'), STAMP - 676);
});

test('counts since 1970 in every unit', () => {
  assert.equal(parseVendorEpoch('1482213335676', 'ms'), STAMP);
  assert.equal(parseVendorEpoch('1482213335676.9', 'ms'), STAMP);
  assert.equal(parseVendorEpoch('1482213335', 's'), STAMP - 676);
  assert.equal(parseVendorEpoch('1482213335.676011610', 's'), STAMP);
  assert.equal(parseVendorEpoch('1482213335.6', 's'), STAMP - 76);
  assert.equal(parseVendorEpoch('1482213335676011', 'us'), STAMP);
  assert.equal(parseVendorEpoch('1482213335676011610', 'ns'), STAMP);
});

test('what is no time of this century in the agreed unit is not read', () => {
  for (const text of [
    '',
    'now',
    '2016-12-20',
    '2016-12-20T05:55:35.676',
    '2016-13-20T05:55:35Z',
    '0001-01-01T00:00:00Z',
  ]) {
    assert.equal(parseVendorInstant(text), undefined, text);
  }
  for (const text of ['', '-1', '1e12', '0x10', '1482213335', '1482213335676011', '99999999999999999999']) {
    assert.equal(parseVendorEpoch(text, 'ms'), undefined, text);
  }
  assert.equal(parseVendorEpoch('12', 'ns'), undefined);
});

test('stamps move with the business clock, and their distance from it stays', () => {
  const real = { now: () => STAMP + 80 };
  const business = new VirtualClock(0, real);
  const time = new VendorTime(business, real);
  for (const offset of [0, 3_600_000, -86_400_000]) {
    business.followRealTime();
    business.advance(offset);
    assert.equal(business.now() - time.toBusiness(STAMP), 80);
    assert.equal(business.now() - time.toBusiness(STAMP + 1_080), -1_000, 'the future stays the future');
  }
  assert.equal(time.delayMs(STAMP), 80);
});

test('a millisecond that passes while the clocks are read moves no stamp', () => {
  let reads = 0;
  // Real time goes on with every third look at it.
  const real = { now: () => STAMP + Math.floor(reads++ / 3) };
  const time = new VendorTime(new VirtualClock(1_000, real), real);
  const instants = new Set(Array.from({ length: 50 }, () => time.toBusiness(STAMP)));
  assert.deepEqual([...instants], [STAMP + 1_000]);
});
