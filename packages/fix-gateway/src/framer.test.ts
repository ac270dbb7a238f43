import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Framer, MESSAGE_BYTES_MAX } from './framer.ts';

function message(body: string, change: { length?: number; sum?: string } = {}): string {
  const rest = `${body}|`.replaceAll('|', '\x01');
  const start = `8=FIX.4.4\x019=${change.length ?? rest.length}\x01${rest}`;
  const sum = [...Buffer.from(start, 'latin1')].reduce((total, byte) => total + byte, 0) % 256;
  return `${start}10=${change.sum ?? String(sum).padStart(3, '0')}\x01`;
}

/** What comes through of these bytes, cut into pieces at these places, and why the rest did not. */
function read(bytes: Buffer, cuts: readonly number[] = []) {
  const through: string[] = [];
  const garbled: string[] = [];
  const framer = new Framer((reason) => garbled.push(reason));
  framer.on('data', (chunk: Buffer) => through.push(chunk.toString('latin1')));
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  for (let i = 1; i < places.length; i++) framer.write(bytes.subarray(places[i - 1], places[i]));
  return { through, garbled };
}

test('whole messages come through, one by one, wherever the bytes are cut', () => {
  const body = fc.stringMatching(/^35=[A-Z]\|58=[ -~]{0,40}$/);
  const rubbish = fc.constantFrom(
    '',
    'rubbish',
    '8=FIX',
    '8=FIX.4.4\x019=',
    '8=FIX.4.4\x019=x\x01',
    '\x0110=123\x01',
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(rubbish, body), { maxLength: 6 }),
      fc.array(fc.nat(400)),
      (parts, places) => {
        const wanted = parts.map(([, text]) => message(text));
        const bytes = Buffer.from(parts.map(([noise], index) => noise + wanted[index]).join(''), 'latin1');
        const cuts = places.filter((place) => place < bytes.length);
        assert.deepEqual(read(bytes, cuts).through, wanted);
      },
    ),
    { numRuns: 200 },
  );
});

test('a message that is not what it says is passed over and told why, once', () => {
  const good = message('35=0|112=x');
  const cases: [reason: string, bytes: string][] = [
    ['garbled', 'rubbish'.repeat(10)],
    ['checksum', message('35=0', { sum: '999' })],
    ['body_length', message('35=0|58=four', { length: 3 })],
    ['body_length', message('35=0|58=four', { length: 300 })],
    ['body_length', message('35=0|58=four', { length: -1 })],
    ['too_long', message(`35=0|58=${'x'.repeat(MESSAGE_BYTES_MAX)}`)],
    ['too_long', message('35=0', { length: 99_999_999 })],
  ];
  for (const [reason, bytes] of cases) {
    const text = Buffer.from(good + bytes + good + good, 'latin1');
    const everyPlace = text.length < 1_000 ? Array.from(text, (_, index) => index) : [];
    for (const cuts of [[], everyPlace]) {
      const { through, garbled } = read(text, cuts);
      assert.deepEqual([through, garbled], [[good, good, good], [reason]], reason);
    }
  }
});
