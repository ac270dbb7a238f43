import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { createLogger } from './logger.ts';

function written(log: (logger: ReturnType<typeof createLogger>) => void): string {
  let text = '';
  const logger = createLogger('trace', {
    write(line: string) {
      text += line;
    },
  });
  log(logger);
  return text;
}

test('secrets do not reach the log, wherever they stand', () => {
  const text = written((logger) => {
    logger.info(
      {
        client_secret: 'hunter2',
        headers: { authorization: 'Bearer hunter2' },
        a: { b: { password: 'hunter2' } },
      },
      'x',
    );
  });
  assert.ok(!text.includes('hunter2'), text);
  assert.ok(text.includes('[redacted]'));
});

test('of an error only name, message, code, stack and cause are written', () => {
  const cause = Object.assign(new Error('inner'), { code: 'ECONNREFUSED', password: 'hunter2' });
  const error = Object.assign(new Error('outer', { cause }), {
    client: { password: 'hunter2', connection: {} },
  });
  const line = JSON.parse(written((logger) => logger.error({ err: error }, 'failed')));
  assert.deepEqual(Object.keys(line.err), ['type', 'message', 'stack', 'cause']);
  assert.deepEqual(Object.keys(line.err.cause), ['type', 'message', 'code', 'stack']);
  assert.equal(line.level, 'error');
  assert.match(line.time, /^\d{4}-\d\d-\d\dT.*Z$/);
});

test('a process ends with its last lines, in their order, whatever a thread is still writing', async () => {
  // The one thread is busy, so that the first line waits for it while the process ends.
  const program = `
    import { pbkdf2 } from 'node:crypto';
    import { createLogger, exitWhenLogged } from ${JSON.stringify(new URL('logger.ts', import.meta.url).href)};
    const logger = createLogger('info');
    pbkdf2('a', 'b', 100_000, 32, 'sha256', () => {});
    logger.info('first');
    logger.flush();
    logger.info('last');
    exitWhenLogged(logger, 3);`;
  const ended = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    env: { UV_THREADPOOL_SIZE: '1' },
  });
  await assert.rejects(ended, ({ code, stdout }: { code: number; stdout: string }) => {
    assert.equal(code, 3);
    const reported = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    assert.deepEqual(reported, ['first', 'last']);
    return true;
  });
});

/** A process that logs while nobody reads what it writes. */
function unread(t: TestContext, program: string) {
  const url = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
  const imports = `
    import { createLogger, exitWhenLogged } from ${url('logger.ts')};
    import { logLinesLost } from ${url('log-output.ts')};
    const logger = createLogger('info');
    const line = 'x'.repeat(1_000);`;
  const options = ['--max-old-space-size=48', '--input-type=module', '--eval'];
  const child = spawn(process.execPath, [...options, imports + program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

for (const level of ['info', 'fatal']) {
  test(`a process ends although nobody reads its lines, the last one at level ${level}`, async (t) => {
    const child = unread(
      t,
      `for (let count = 0; count < 1_000; count++) logger.info(line);
       setImmediate(() => {
         logger.${level}('last');
         exitWhenLogged(logger, 3);
       });`,
    );
    assert.deepEqual(await once(child, 'exit'), [3, null]);
  });
}

for (const level of ['info', 'fatal']) {
  test(`a process goes on and ends whose reader is gone, the last line at level ${level}`, async (t) => {
    const child = unread(
      t,
      `logger.info('first');
       process.once('SIGUSR2', () => {
         logger.${level}('second');
         setTimeout(() => {
           logger.${level}('last');
           process.stderr.write(String(logLinesLost()));
           exitWhenLogged(logger, 3);
         }, 600);
       });
       setInterval(() => undefined, 1_000);
       logger.flush();`,
    );
    await once(child.stdout, 'data');
    child.stdout.destroy();
    await once(child.stdout, 'close');
    child.kill('SIGUSR2');
    const said = text(child.stderr);
    assert.deepEqual(await once(child, 'exit'), [3, null]);
    assert.equal(await said, '1', 'the line after the one that found it out');
  });
}

test('a process that ends in the middle writes its last lines, each once, to a reader that is slow', async (t) => {
  const child = unread(
    t,
    `process.stderr.write('-');
     for (let count = 0; count < 300; count++) logger.info({ count }, line);
     setImmediate(() => process.exit(4));`,
  );
  await once(child.stderr, 'data');
  const lines: number[] = [];
  for await (const each of createInterface({ input: child.stdout })) lines.push(JSON.parse(each).count);
  assert.deepEqual(
    lines,
    Array.from({ length: 300 }, (_, i) => i).filter((i) => lines.includes(i)),
    'whole ones, in their order',
  );
  assert.ok(lines.length > 200 && lines.includes(299), String(lines.length));
});

test('60 MB of lines that nobody reads do not fill 48 MB of memory, and the log tells how many are missing', async (t) => {
  const child = unread(
    t,
    `for (let count = 0; count < 60_000; count++) {
       logger.info({ count }, line);
       if (count % 100 === 0) await new Promise(setImmediate);
     }
     process.stderr.end(String(logLinesLost()));
     setTimeout(() => undefined, 60_000);`,
  );
  const said = await text(child.stderr);
  const lost = Number(said);
  assert.ok(lost > 30_000 && lost < 60_000, said);
  let read = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const { lines, level } = JSON.parse(line);
    if (lines === undefined) read += 1;
    else {
      assert.deepEqual([level, lines, read], ['warn', lost, 60_000 - lost]);
      break;
    }
  }
});
