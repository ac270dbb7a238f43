import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
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
    const told = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    assert.deepEqual(told, ['first', 'last']);
    return true;
  });
});
