import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { test } from 'node:test';
import { logLinesLost } from '../platform/log-output.ts';
import { passOnLines } from './child-process.ts';

const MIB = 1_048_576;
const line = (letter: string, length: number) => `${letter.repeat(length - 1)}\n`;

/** A log that nobody reads. */
const unread = () => new Writable({ write: () => undefined });

test('lines of several processes go on whole, and the last one without its end gets one', async () => {
  let reported = '';
  const log = new Writable({
    write(bytes, _encoding, done) {
      reported += bytes;
      done();
    },
  });
  const [one, other] = [new PassThrough(), new PassThrough()];
  for (const process of [one, other]) passOnLines(process, log);
  for (const [process, text] of [
    [one, 'a1\na'],
    [other, 'b1\nb'],
    [one, '2\na3'],
    [other, '2\n'],
  ] as const) {
    process.write(text);
    await new Promise(setImmediate);
  }
  one.end();
  await once(one, 'end');
  assert.equal(reported, 'a1\nb1\na2\nb2\na3\n');
});

test('while nobody reads the log, the lines of a process wait with it, also those of one that starts then', async () => {
  const [process, log] = [new PassThrough(), unread()];
  passOnLines(process, log);
  process.write(line('a', MIB));
  await new Promise(setImmediate);
  assert.ok(process.isPaused());
  const later = new PassThrough();
  passOnLines(later, log);
  for (const each of [process, later]) each.write(line('b', MIB));
  await new Promise(setImmediate);
  assert.equal(log.writableLength, MIB);
  log.emit('drain');
  await new Promise(setImmediate);
  assert.equal(log.writableLength, 3 * MIB, 'and go on when it is read again');
});

test('a process has ended also when nobody reads what it said last, which is counted', async () => {
  const log = unread();
  const before = logLinesLost();
  for (let count = 0; count < 8; count++) {
    const process = new PassThrough();
    const lines = passOnLines(process, log);
    process.write(line('a', MIB / 2));
    process.end(line('b', MIB / 2));
    const ended = once(process, 'end');
    lines.end();
    await ended;
  }
  assert.ok(log.writableLength <= 2 * MIB, String(log.writableLength));
  assert.equal(logLinesLost() - before, 16 - log.writableLength / (MIB / 2));
  assert.deepEqual([log.listenerCount('drain'), log.listenerCount('error')], [0, 0]);
});

test('a log whose reader is gone holds nobody up', async () => {
  const log = new Writable({
    write: (_bytes, _encoding, done) => done(new Error('EPIPE')),
    autoDestroy: false,
  });
  log.on('error', () => undefined);
  const process = new PassThrough();
  passOnLines(process, log);
  process.write(line('a', MIB));
  process.end(line('b', MIB));
  await once(process, 'end');
});
