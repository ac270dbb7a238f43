import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createLogger } from '../../platform/logger.ts';
import { eventually } from '../sources/test-support.ts';
import { GatewayProcess, type GatewayProcessOptions, type SessionOwner } from './gateway-process.ts';
import type { FixSessionSettings, StatusLine, VenueLine } from './protocol.ts';
import { TEST_SESSION } from './test-settings.ts';

const SETTINGS: FixSessionSettings = { ...TEST_SESSION, password: 'open sesame' };

/** Stands in for the gateway: says that it is there, repeats what it is told as a refusal, and ends with its input. */
const ECHO = `
  const say = (line) => process.stdout.write(JSON.stringify(line) + '\\n');
  const told = (reason) => say({ type: 'quoteRefused', session: 'lp', id: 'x', reason });
  require('node:readline').createInterface(process.stdin)
    .on('line', (text) => {
      const line = JSON.parse(text);
      if (line.type === 'stop') process.exit(0);
      if (line.type === 'requestQuote') eval(line.query.id);
      else told(line.type + ' ' + JSON.stringify(line));
    })
    .on('close', () => process.exit(0));
  say({ type: 'ready' });
`;

interface Owner extends SessionOwner {
  readonly reported: string[];
  readonly losses: string[];
}

function owner(): Owner {
  const reported: string[] = [];
  const losses: string[] = [];
  return {
    reported,
    losses,
    line: (line: VenueLine) => reported.push(line.type === 'quoteRefused' ? line.reason : line.type),
    status: (line: StatusLine) => reported.push(line.state),
    lost: (reason) => losses.push(reason),
  };
}

function open(t: TestContext, options: Partial<GatewayProcessOptions> = {}): GatewayProcess {
  const gateway = new GatewayProcess({
    folder: '/nowhere',
    logger: createLogger('silent'),
    command: [process.execPath, '-e', ECHO],
    restartMs: { first: 10, max: 20 },
    ...options,
  });
  t.after(() => gateway.detach('lp'));
  return gateway;
}

/** Has the stand-in run a piece of program. */
function run(gateway: GatewayProcess, program: string): boolean {
  return gateway.send({
    type: 'requestQuote',
    session: 'lp',
    query: { id: program, pair: 'EURUSD', quantity: '1' },
  });
}

test('a session is started with its secrets, which stand neither in arguments nor in the environment', async (t) => {
  const gateway = open(t);
  const lp = owner();
  gateway.attach(SETTINGS, lp);
  await eventually(() => lp.reported.length === 1, 'the start');
  assert.match(lp.reported[0] ?? '', /^start .*"folder":"\/nowhere".*"password":"open sesame"/);
  const others = "Object.keys(process.env).filter((name) => name !== 'NODE_COMPILE_CACHE')";
  run(gateway, `told(JSON.stringify([process.argv, process.env, ${others}]))`);
  await eventually(() => lp.reported.length === 2, 'what it sees');
  assert.ok(!lp.reported[1]?.includes('sesame') && lp.reported[1]?.endsWith(',[]]'), lp.reported[1]);
});

test('a gateway that dies is started again with every session, and its owners are told why', async (t) => {
  const gateway = open(t);
  const lp = owner();
  gateway.attach(SETTINGS, lp);
  await eventually(() => lp.reported.length === 1, 'the start');
  const first = gateway.pid;
  run(gateway, 'process.stderr.write("TypeError: broken\\n    at somewhere\\n", () => process.exit(3))');
  await eventually(() => lp.losses.length === 1, 'the loss');
  assert.equal(lp.losses[0], 'the FIX gateway: TypeError: broken');
  await eventually(() => lp.reported.length === 2, 'the second start');
  assert.notEqual(gateway.pid, first);
  assert.equal(gateway.restarts, 1);
});

test('one that falls silent is killed', async (t) => {
  const gateway = open(t, { silenceLimitMs: 300 });
  const lp = owner();
  gateway.attach(SETTINGS, lp);
  await eventually(() => lp.losses.length === 1, 'the loss');
  assert.equal(lp.losses[0], 'the FIX gateway: unresponsive for 0.3 s');
});

test('one that writes rubbish, or without end, is killed', async (t) => {
  for (const rubbish of ['"nonsense\\n"', '"{}\\n"', '"null\\n"', '"x".repeat(70000)']) {
    const gateway = open(t);
    const lp = owner();
    gateway.attach(SETTINGS, lp);
    await eventually(() => lp.reported.length === 1, 'the start');
    run(gateway, `process.stdout.write(${rubbish})`);
    await eventually(() => lp.losses.length === 1, `the loss: ${rubbish}`);
    assert.match(lp.losses[0] ?? '', /an invalid line|a line without end/);
    await gateway.detach('lp');
  }
});

test('a program that is not there is told, and tried again', async (t) => {
  const gateway = open(t, { command: ['/nowhere/at/all'] });
  const lp = owner();
  gateway.attach(SETTINGS, lp);
  await eventually(() => lp.losses.length >= 2, 'two losses');
  assert.match(lp.losses[0] ?? '', /ENOENT/);
});

test('it ends with its last session', async (t) => {
  const gateway = open(t);
  const lp = owner();
  const other = owner();
  gateway.attach(SETTINGS, lp);
  gateway.attach({ ...SETTINGS, name: 'other' }, other);
  await eventually(() => lp.reported.length >= 1, 'the start');
  await gateway.detach('other');
  await eventually(
    () => lp.reported.includes('end {"type":"end","session":"other"}'),
    'the end of the other',
  );
  assert.notEqual(gateway.pid, undefined);
  await gateway.detach('lp');
  assert.equal(gateway.pid, undefined);
  assert.deepEqual([lp.losses, other.losses], [[], []]);
  assert.equal(run(gateway, ''), false);
});
