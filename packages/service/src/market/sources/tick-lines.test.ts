import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal } from '@firmquote/fx';
import fc from 'fast-check';
import { parseTickLine, type RecordedTick, TickLines } from './tick-lines.ts';

function read(text: string, pieceBytes = text.length): { ticks: string[]; skipped: number } {
  const lines = new TickLines();
  const ticks: RecordedTick[] = [];
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += Math.max(1, pieceBytes)) {
    ticks.push(...lines.push(bytes.subarray(at, at + Math.max(1, pieceBytes))));
  }
  ticks.push(...lines.end());
  return { ticks: ticks.map(textOf), skipped: lines.skipped };
}

function textOf({ millis, bid, ask }: RecordedTick): string {
  return `${millis},${formatDecimal(bid)},${formatDecimal(ask)}`;
}

test('prices are read exactly as written, with either line end and without a last one', () => {
  assert.deepEqual(read('339,1.38830,1.38835\r\n634,1.38835,1.3884\n\n86399999,1,2'), {
    ticks: ['339,1.38830,1.38835', '634,1.38835,1.3884', '86399999,1,2'],
    skipped: 0,
  });
});

test('lines that are not three plain numbers are skipped and counted', () => {
  const broken = [
    'time,bid,ask',
    '1,1.1',
    '1,1.1,1.2,1.3',
    '1;1.1;1.2',
    '-1,1.1,1.2',
    '1.5,1.1,1.2',
    '86400000,1.1,1.2',
    '1,1e0,1.2',
    '1,1.1,NaN',
    '1, 1.1,1.2',
    '1,,1.2',
    '1,1.1,1,2',
    'x'.repeat(129),
    'x'.repeat(100_000),
  ];
  for (const line of broken.slice(0, -2)) assert.equal(parseTickLine(line), undefined, line);
  for (const pieceBytes of [1_000_000, 64, 7]) {
    assert.deepEqual(read(`${broken.join('\n')}\n5,1.1,1.2\n4,1.1,1.2\n5,1.1,1.3\n`, pieceBytes), {
      ticks: ['5,1.1,1.2', '5,1.1,1.3'],
      // The 4 after the 5 goes back in time.
      skipped: broken.length + 1,
    });
  }
});

test('the end of a line that is too long is not taken for a line', () => {
  const text = `${'x'.repeat(300)}\n${'0'.repeat(300)},1.1,1.2\n7,1.1,1.2\n`;
  for (const pieceBytes of [1_000_000, 300, 130, 1]) {
    assert.deepEqual(read(text, pieceBytes), { ticks: ['7,1.1,1.2'], skipped: 2 });
  }
});

test('what is read does not depend on how the bytes are cut', () => {
  const line = fc.oneof(
    fc.tuple(fc.nat(100), fc.nat(99_999), fc.nat(99_999)).map(([ms, bid, ask]) => `${ms},1.${bid},1.${ask}`),
    fc.string({ maxLength: 200 }),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), fc.integer({ min: 1, max: 300 }), (lines, pieceBytes) => {
      const text = lines.join('\n');
      assert.deepEqual(read(text, pieceBytes), read(text));
    }),
  );
});
