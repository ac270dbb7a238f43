import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import Fastify from 'fastify';
import { serveConsole } from './console.ts';
import { handleErrors } from './errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'firmquote-console-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, content: string): void {
  writeFileSync(join(folder, file), content);
  writeFileSync(join(folder, `${file}.gz`), gzipSync(content));
  writeFileSync(join(folder, `${file}.br`), brotliCompressSync(content));
}

function served(from: string) {
  const app = Fastify();
  handleErrors(
    app as never,
    () => 'https://fx.example',
    () => false,
  );
  serveConsole(app as never, from);
  return (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });
}

write('index.html', '<!doctype html><title>Console</title>');
write('main-ABC.js', 'console');
writeFileSync(
  join(folder, 'files.json'),
  JSON.stringify({
    files: [
      { path: '/console/', file: 'index.html', type: 'text/html; charset=utf-8' },
      { path: '/console/assets/main-ABC.js', file: 'main-ABC.js', type: 'text/javascript; charset=utf-8' },
    ],
  }),
);

describe('the console', () => {
  const get = served(`${folder}/`);

  test('every address in it is its page, under a policy that lets nothing else in', async () => {
    for (const url of ['/console', '/console/', '/console/markets?ticket=new', '/console/quotes/quote_1']) {
      const { statusCode, headers, body } = await get(url);
      assert.equal(statusCode, 200, url);
      assert.match(body, /Console/);
      const policy = String(headers['content-security-policy']);
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
      assert.doesNotMatch(policy, /unsafe|https?:|sha256/);
      assert.match(policy, /frame-ancestors 'none'/);
      // Without it browsers would hide where its forms come from.
      assert.equal(headers['referrer-policy'], 'same-origin');
      assert.equal(headers['cache-control'], 'public, no-cache');
    }
  });

  test('what has its content in its name is kept for ever, compressed beforehand', async () => {
    const { headers, rawPayload } = await get('/console/assets/main-ABC.js', {
      'accept-encoding': 'gzip, br',
    });
    assert.match(String(headers['cache-control']), /immutable/);
    // The worker asks the service, under the policy of its own file.
    assert.match(String(headers['content-security-policy']), /connect-src 'self'; worker-src 'self'/);
    assert.equal(headers['content-encoding'], 'br');
    assert.deepEqual(rawPayload, brotliCompressSync('console'));
    const known = await get('/console/assets/main-ABC.js', {
      'if-none-match': String(headers.etag),
      'accept-encoding': 'br',
    });
    assert.equal(known.statusCode, 304);
  });

  test('a file that is not there is not a page', async () => {
    assert.equal((await get('/console/assets/main-OLD.js')).statusCode, 404);
    assert.equal((await get('/console/assets/../files.json')).statusCode, 200);
    assert.doesNotMatch((await get('/console/assets/%2e%2e/files.json')).body, /main-ABC/);
  });
});

test('a service without it says so', async () => {
  const { statusCode, headers, body } = await served(join(folder, 'nothing/'))('/console/markets');
  assert.equal(statusCode, 503);
  assert.match(String(headers['content-type']), /text\/html/);
  assert.match(body, /The console is not built[\s\S]*build-console\.mjs/);
});
