import assert from 'node:assert/strict';
import { test } from 'node:test';
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
