import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { FixSessionSettings } from '../../service/src/market/fix/protocol.ts';
import { Desk, settings, THEM, temporaryFolder, US, until } from './testing/harness.ts';
import { RawVenue } from './testing/raw-venue.ts';

/** A venue that says whatever a test wants, byte for byte. */
async function open(
  t: TestContext,
  heartbeatSeconds = 60,
  more: Partial<FixSessionSettings> = {},
): Promise<{ venue: RawVenue; desk: Desk }> {
  const venue = await RawVenue.listen(THEM, US);
  t.after(() => venue.close());
  const session = settings(venue.port, { heartbeatSeconds, ...more });
  return { venue, desk: new Desk(t, temporaryFolder(t), session) };
}

const snapshot = (bid: string, ask: string): string =>
  `55=EUR/USD|268=2|269=0|270=${bid}|271=1|269=1|270=${ask}|271=1`;

test('a garbled message is ignored and asked for again; the session goes on', async (t) => {
  const { venue, desk } = await open(t);
  await venue.logon();
  venue.send('W', snapshot('1.1', '1.2'), { checksum: '000' });
  await desk.refused('checksum');
  venue.send('W', snapshot('1.3', '1.4'));
  await venue.received(/\|35=2\|.*\|7=2\|16=0\|/);
  assert.equal((await desk.next('tick')).bid, '1.3');
  assert.equal(desk.venue.status().logons, 1);
});

test('a wrong BodyLength, rubbish and a message without measure are passed over; the session goes on', async (t) => {
  const { venue, desk } = await open(t);
  await venue.logon();
  await desk.up();
  const broken: [reason: string, send: () => void][] = [
    ['body_length', () => venue.send('W', snapshot('1.5', '1.6'), { bodyLength: 20 })],
    ['body_length', () => venue.send('W', snapshot('1.5', '1.6'), { bodyLength: 9_000 })],
    ['garbled', () => venue.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['too_long', () => venue.send('W', `58=${'x'.repeat(200_000)}|${snapshot('1.5', '1.6')}`)],
    ['checksum', () => venue.send('W', snapshot('1.5', '1.6'), { checksum: '000' })],
  ];
  const counts = new Map<string, number>();
  for (const [index, [reason, send]] of broken.entries()) {
    send();
    venue.send('W', snapshot(`1.0${index}`, '1.4'));
    await desk.next('tick', ({ bid }) => bid === `1.0${index}`);
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
    assert.equal(desk.venue.status().refused[reason], counts.get(reason), reason);
  }
  assert.ok(!desk.of('tick').some(({ bid }) => bid === '1.5'));
  assert.deepEqual([desk.venue.status().state, desk.venue.status().logons], ['up', 1]);
});

test('a message of another party is ignored', async (t) => {
  const { venue, desk } = await open(t);
  await venue.logon();
  venue.send('W', snapshot('1.1', '1.2'), { sender: 'MALLORY' });
  await desk.refused('comp_id');
  assert.deepEqual(desk.of('tick'), []);
});

test('a stale, a future and a repeated price are refused, as is one without a time', async (t) => {
  const { venue, desk } = await open(t);
  await venue.logon();
  venue.send('W', snapshot('1.1', '1.2'), { sendingTime: venue.time(-6_000) });
  await desk.refused('stale');
  venue.send('W', snapshot('1.1', '1.2'), { sendingTime: venue.time(6_000) });
  await until('two', () => desk.venue.status().refused.stale === 2);
  venue.send('W', snapshot('1.1', '1.2'), { sendingTime: 'yesterday' });
  await desk.refused('no_sending_time');
  venue.send('W', snapshot('1.1', '1.2'), { header: '43=Y|' });
  await desk.refused('repeated');
  assert.deepEqual(desk.of('tick'), []);
  venue.send('W', snapshot('1.1', '1.2'));
  await desk.next('tick');
});

test('a whole book that is not taken ends the price before it', async (t) => {
  const { venue, desk } = await open(t);
  await venue.logon();
  const refused = [
    () => venue.send('W', snapshot('1.1', '1.2'), { sendingTime: venue.time(-6_000) }),
    () => venue.send('W', '55=EUR/USD|268=3|269=0|270=1.1|271=1|269=1|270=1.2|271=1'),
    () => venue.send('W', snapshot('1.1', '0')),
    () => venue.send('W', '55=EUR/USD|268=1|269=0|270=1.1|271=1'),
    () => venue.send('W', '55=EUR/USD|268=0'),
  ];
  for (const [index, refuse] of refused.entries()) {
    venue.send('W', snapshot('1.3', '1.4'));
    await until('a price', () => desk.of('tick').length === index + 1);
    refuse();
    await until(`the end of price ${index}`, () => desk.of('gone').length === index + 1);
  }
  venue.send('W', '55=EUR/USD|268=0');
  await until('six', () => desk.venue.status().refused.missing_side === 4);
  assert.equal(desk.of('gone').length, refused.length, 'what is gone is told once');
});

test('after a change that is not taken nobody knows the book: it ends, and is asked for anew', async (t) => {
  const { venue, desk } = await open(t, 60, { updates: 'incremental' });
  await venue.logon();
  const change = (price: string) => `268=1|279=1|269=0|55=EUR/USD|270=${price}|271=1`;
  venue.send('W', snapshot('1.1', '1.2'));
  await desk.next('tick');
  venue.send('X', change('1.15'));
  await desk.next('tick', ({ bid }) => bid === '1.15');
  // The offer was deleted, in a message that took too long.
  venue.send('X', '268=1|279=2|269=1|55=EUR/USD', { sendingTime: venue.time(-6_000) });
  await desk.next('gone');
  venue.send('X', change('1.16'));
  await desk.refused('unknown_book');
  const [first] = /md-[^|]*/.exec(await venue.received(/\|35=V\|/)) ?? [];
  await until('the new subscription', () => {
    desk.venue.tick();
    return venue.has(new RegExp(`\\|35=V\\|.*\\|262=${first}\\|263=2\\|`));
  });
  await venue.received(new RegExp(`\\|35=V\\|.*\\|262=md-(?!${first?.slice(3)}\\|)[^|]*\\|263=1\\|`));
  venue.send('W', snapshot('1.3', '1.4'));
  await desk.next('tick', ({ bid }) => bid === '1.3');
  assert.equal(desk.of('gone').length, 1);
  assert.equal(desk.venue.status().logons, 1);
});

test('quotes that end: cancelled, refused, or with one side', async (t) => {
  const { venue, desk } = await open(t, 60, { mode: 'quotes' });
  await venue.logon();
  let asked = 0;
  const quote = async () => {
    asked += 1;
    await until(`request ${asked}`, () => {
      desk.venue.tick();
      return venue.all(/\|35=R\|/).length >= asked;
    });
    const id = /\|131=([^|]*)\|/.exec(venue.all(/\|35=R\|/).at(-1) ?? '')?.[1] ?? '';
    venue.send('S', `131=${id}|117=Q${asked}|55=EUR/USD|132=1.1|133=1.2`);
    await until(`price ${asked}`, () => desk.of('tick').length === asked);
    return id;
  };
  const isGone = (count: number) => until(`end ${count}`, () => desk.of('gone').length === count);
  venue.send('Z', `131=${await quote()}|117=Q1|298=1`);
  await isGone(1);
  await quote();
  venue.send('Z', '117=*|298=4');
  await isGone(2);
  const id = await quote();
  venue.send('S', `131=${id}|117=Q9|55=EUR/USD|132=1.1`);
  await isGone(3);
  // Without its QuoteID it cannot be read, and what it would have replaced is over all the same.
  venue.send('S', `131=${await quote()}|55=EUR/USD|132=1.3|133=1.4`);
  await desk.refused('malformed');
  assert.equal(desk.of('gone').length, 4);
  venue.send('AG', `131=${await quote()}|658=99|58=not now|146=1|55=EUR/USD`);
  await isGone(5);
});

test('a quote whose end cannot be read is no price, and the one before it is over', async (t) => {
  const { venue, desk } = await open(t, 60, { mode: 'quotes' });
  await venue.logon();
  const [, id] = /\|131=([^|]*)\|/.exec(await venue.received(/\|35=R\|/)) ?? [];
  const quote = `131=${id}|117=Q1|55=EUR/USD|132=1.1|133=1.2`;
  venue.send('S', `${quote}|62=${venue.time(60_000)}`);
  await desk.next('tick');
  for (const end of ['soon', '23:59:59', '2026-03-04T14:30:00Z', '20260230-14:30:00', '20260304-24:00:00']) {
    venue.send('S', `${quote}|62=${end}`);
  }
  venue.send('1', '112=read');
  await venue.received(/\|112=read\|/);
  assert.deepEqual([desk.of('tick').length, desk.of('gone').length], [1, 1]);
  assert.equal(desk.venue.status().refused.malformed, 5);
  assert.match(desk.venue.status().error ?? '', /ValidUntilTime/);
});

test('a quote is over when a message is missing, which may have cancelled it, and is asked for anew', async (t) => {
  const { venue, desk } = await open(t, 60, { mode: 'quotes' });
  await venue.logon();
  const [, id] = /\|131=([^|]*)\|/.exec(await venue.received(/\|35=R\|/)) ?? [];
  venue.send('S', `131=${id}|117=Q1|55=EUR/USD|132=1.1|133=1.2`);
  await desk.next('tick');
  venue.send('Z', `131=${id}|117=Q1|298=1`, { checksum: '000' });
  await desk.refused('checksum');
  assert.deepEqual(desk.of('gone'), [], 'nobody knows yet what it was');
  venue.send('0', '58=alive');
  await venue.received(/\|35=2\|/);
  assert.deepEqual(
    desk.of('gone').map(({ pair }) => pair),
    ['EURUSD'],
  );
  desk.venue.tick();
  await until('another request', () => venue.all(/\|35=R\|/).length === 2);
});

test('what cannot be read is counted, and the next message is read', async (t) => {
  const { venue, desk } = await open(t);
  await venue.logon();
  venue.send('8', '37=1|17=2|150=0|39=0');
  await desk.refused('malformed');
  assert.match(desk.venue.status().error ?? '', /message 8 from the venue: ClOrdID is missing/);
  venue.send('W', '268=2|269=0|270=1|269=1|270=2');
  await until('another', () => desk.venue.status().refused.malformed === 2);
  venue.send('W', snapshot('1.1', '1.2'));
  await desk.next('tick');
});

test('a number that was used before ends the connection with the reason', async (t) => {
  const { venue, desk } = await open(t);
  await venue.logon();
  venue.send('W', snapshot('1.1', '1.2'));
  await desk.next('tick');
  venue.send('W', snapshot('1.5', '1.6'), { sequence: 1 });
  await venue.received(/\|35=5\|.*58=MsgSeqNum too low, expecting 3 but received 1\|/);
  await until('the end', () => desk.venue.status().state !== 'up');
  assert.deepEqual(
    desk.of('tick').map(({ bid }) => bid),
    ['1.1'],
  );
});

/** Until the session has read all that was sent before. */
async function read(venue: RawVenue, id: string, sequence: number): Promise<void> {
  venue.send('1', `112=${id}`, { sequence });
  await venue.received(new RegExp(`\\|35=0\\|.*\\|112=${id}\\|`));
}

test('a gap fill does not hide what is missing before it: the prices end, and it is asked for', async (t) => {
  const { venue, desk } = await open(t);
  await venue.logon();
  venue.send('W', snapshot('1.1', '1.2'));
  await desk.next('tick');
  const report = '37=O1|11=o1|17=E1|150=F|39=2|55=EUR/USD|54=1|151=0|14=5|6=1.10';
  venue.send('8', report, { sequence: 3, checksum: '000' });
  venue.send('4', '123=Y|36=7', { sequence: 4 });
  await read(venue, 'after', 7);
  assert.equal(venue.all(/\|35=2\|.*\|7=3\|16=0\|/).length, 1);
  assert.equal(desk.of('gone').length, 1);
  venue.send('8', report, { sequence: 3, header: '43=Y|' });
  await desk.next('execution', ({ possibleDuplicate }) => possibleDuplicate);
  venue.send('4', '123=Y|36=8', { sequence: 4, header: '43=Y|' });
  await read(venue, 'filled', 8);
  assert.deepEqual([venue.all(/\|35=2\|/).length, desk.venue.status().nextReceived], [1, 9]);
});

test('no sequence reset sets the numbers back; one that skips some ends the prices', async (t) => {
  const { venue, desk } = await open(t);
  await venue.logon();
  venue.send('W', snapshot('1.1', '1.2'));
  await desk.next('tick');
  venue.send('4', '123=Y|36=2', { sequence: 1, header: '43=Y|' });
  venue.send('4', '36=2', { sequence: 3 });
  await read(venue, 'back', 3);
  assert.equal(venue.has(/\|35=2\|/), false, 'nothing is asked for that has come');
  assert.match(venue.all(/\|35=3\|/)[0] ?? '', /\|45=3\|371=36\|372=4\|373=5\|/);
  assert.deepEqual(desk.of('gone'), []);
  venue.send('4', '36=50', { sequence: 4 });
  await read(venue, 'on', 50);
  assert.deepEqual([desk.of('gone').length, desk.venue.status().nextReceived], [1, 51]);
});

test('nothing counts before the logon', async (t) => {
  const { venue, desk } = await open(t);
  await venue.received(/\|35=A\|/);
  venue.send('W', snapshot('1.1', '1.2'));
  await until('the end', () => desk.venue.status().state === 'waiting');
  assert.deepEqual(desk.of('tick'), []);
  assert.equal(desk.venue.status().logons, 0);
});

test('silence is asked about, then ends the connection; prices meanwhile are taken', async (t) => {
  const { venue, desk } = await open(t, 1);
  await venue.logon();
  await venue.received(/\|35=1\|.*\|112=/);
  venue.send('W', snapshot('1.1', '1.2'));
  await desk.next('tick');
  assert.equal(desk.venue.status().state, 'up');
  await until('the end', () => desk.venue.status().state !== 'up');
  assert.match(desk.venue.status().error ?? '', /peer not responding/);
});

test('a logout ends all prices at once, though the venue leaves the connection open; reports are still heard', async (t) => {
  const { venue, desk } = await open(t);
  await venue.logon();
  venue.send('W', snapshot('1.1', '1.2'));
  await desk.next('tick');
  venue.send('5', '58=see you on Monday');
  venue.send('W', snapshot('1.3', '1.4'));
  venue.send('8', '37=O1|11=o1|17=E1|150=F|39=2|55=EUR/USD|54=1|151=0|14=5|6=1.10', { header: '97=Y|' });
  await desk.next('execution');
  const { state, error, logons } = desk.venue.status();
  assert.deepEqual([state, error, logons], ['waiting', 'logged out by the venue: see you on Monday', 1]);
  assert.equal(desk.of('tick').length, 1);
  await venue.received(/\|35=5\|/);
});

test('a logout is confirmed, and sent, while a TestRequest is unanswered', async (t) => {
  const { venue, desk } = await open(t, 1);
  await venue.logon();
  await venue.received(/\|35=1\|/);
  venue.send('5', '58=the end');
  await venue.received(/\|35=5\|/);
  assert.equal(desk.venue.status().state, 'waiting');
  const other = await open(t, 1);
  await other.venue.logon();
  await other.venue.received(/\|35=1\|/);
  const stopped = other.desk.stop();
  await until('its end', () => other.desk.venue.status().state === 'stopped');
  await stopped;
  assert.ok(other.venue.has(/\|35=5\|/));
});

test('a TestRequest is answered with its own id, and no other heartbeat has one', async (t) => {
  const { venue, desk } = await open(t, 1);
  await venue.logon();
  await desk.up();
  venue.send('1', '112=are you there');
  await venue.received(/\|35=0\|.*\|112=are you there\|/);
  await venue.received(/\|35=0\|((?!112=).)*\|10=/);
  assert.equal(desk.venue.status().logons, 1);
});

test('an order that the venue rejects as a message is told as refused', async (t) => {
  const { venue, desk } = await open(t);
  await venue.logon();
  await desk.up();
  const order = {
    pair: 'EURUSD',
    side: 'sell',
    quantity: '1',
    type: 'market',
    timeInForce: 'fillOrKill',
  } as const;
  desk.venue.placeOrder({ ...order, id: 'o1' });
  const first = /\|34=(\d+)\|/.exec(await venue.received(/\|35=D\|.*\|11=o1\|/))?.[1];
  venue.send('3', `45=${first}|372=D|373=5|58=not like this`);
  assert.equal((await desk.next('orderRefused')).reason, 'not like this');
  desk.venue.placeOrder({ ...order, id: 'o2' });
  await venue.received(/\|11=o2\|/);
  venue.send('j', '372=D|379=o2|380=3|58=no orders today');
  assert.equal((await desk.next('orderRefused', ({ id }) => id === 'o2')).reason, 'no orders today');
});

test('a report that comes twice is told once', async (t) => {
  const { venue, desk } = await open(t);
  await venue.logon();
  await desk.up();
  const report = '37=O1|11=o1|17=E1|150=F|39=2|55=EUR/USD|54=1|151=0|14=5|6=1.10|32=5|31=1.10';
  venue.send('8', report);
  venue.send('8', report, { header: '43=Y|' });
  await desk.refused('repeated');
  const [line, ...others] = desk.of('execution');
  assert.deepEqual([line?.lastPrice, line?.possibleDuplicate, others], ['1.10', false, []]);
});

test('fields and messages that FIX 4.4 does not have are passed over', async (t) => {
  const { venue, desk } = await open(t);
  await venue.logon();
  venue.send('U1', '9001=x');
  venue.send('W', `9002=y|${snapshot('1.1', '1.2')}|9003=z`);
  assert.equal((await desk.next('tick')).bid, '1.1');
  venue.send('W', '55=EUR/USD|268=2|269=0|270=1.3|9004=a|271=1|269=1|270=1.4|9004=b|271=1');
  await desk.next('tick', ({ bid, ask }) => bid === '1.3' && ask === '1.4');
  assert.deepEqual([desk.venue.status().state, desk.venue.status().logons], ['up', 1]);
});

for (const [name, entries] of [
  ['fewer entries than it says', '268=3|269=0|270=1.1|271=1|269=1|270=1.2|271=1'],
  ['more entries than it says', '268=1|269=0|270=1.1|271=1|269=1|270=1.2|271=1'],
  ['a count that is none', '268=x|269=0|270=1.1|271=1'],
  ['entries without a count', '269=0|270=1.1|271=1|269=1|270=1.2|271=1'],
] as const) {
  test(`a group with ${name} makes no price out of nothing, and the session goes on`, async (t) => {
    const { venue, desk } = await open(t);
    await venue.logon();
    await desk.up();
    venue.send('W', `55=EUR/USD|${entries}`);
    await until('the count', () => Object.keys(desk.venue.status().refused).length > 0);
    venue.send('W', snapshot('1.3', '1.4'));
    await desk.next('tick', ({ bid }) => bid === '1.3');
    assert.deepEqual(
      [...new Set(desk.of('tick').map(({ bid, ask }) => `${bid} ${ask}`))].filter(
        (text) => text !== '1.3 1.4',
      ),
      [],
    );
  });
}
