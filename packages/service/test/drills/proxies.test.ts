import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { QUOTE_BODY, readCredentials, sandboxApis } from '../support/api.ts';
import { makeCertificate } from '../support/certificate.ts';
import { createTestDatabase } from '../support/database.ts';
import { freePort, type ServiceProcess, startService, temporaryFolder, until } from '../support/process.ts';

const OPS = resolve(import.meta.dirname, '../../../../ops');
/** Nobody listens there. */
const DEAD = '127.0.0.1:9';

/** What is not for outside, also as the service reads it where its letters are written as numbers. */
const INSIDE = [
  ...['/v1/operator/customers', '/metrics', '/readyz', '/healthz'],
  ...['/v1/%6fperator/customers', '/%761/%6Fp%65rator/customers', '/%6detrics', '/%72eadyz', '/healt%68z'],
];

interface Proxy {
  readonly name: string;
  readonly program: readonly [string, ...string[]];
  /** What of the configuration in `ops` is different here, where it is started. */
  configure(folder: string, port: number, instance: string): readonly string[];
}

function replaced(file: string, changes: readonly (readonly [string, string])[]): string {
  let content = readFileSync(join(OPS, file), 'utf8');
  for (const [from, to] of changes) {
    assert.ok(content.includes(from), `${file} has ${from}`);
    content = content.replaceAll(from, to);
  }
  return content;
}

const PROXIES: readonly Proxy[] = [
  {
    name: 'HAProxy',
    program: ['haproxy', '-v'],
    configure(folder, port, instance) {
      const { both } = makeCertificate(folder);
      const content = replaced('haproxy/haproxy.cfg', [
        [':443', `127.0.0.1:${port}`],
        ['/etc/haproxy/fx.example.com.pem', both],
        ['10.0.0.11:4000', DEAD],
        ['10.0.0.12:4000', instance],
      ]);
      writeFileSync(join(folder, 'haproxy.cfg'), content);
      return ['-db', '-f', join(folder, 'haproxy.cfg')];
    },
  },
  {
    name: 'Caddy',
    program: ['caddy', 'version'],
    configure(folder, port, instance) {
      const { key, certificate } = makeCertificate(folder);
      const content = replaced('caddy/Caddyfile', [
        ['{$SITE:fx.example.com} {', `https://127.0.0.1:${port} {\n\ttls ${certificate} ${key}`],
        ['{$INSTANCES:10.0.0.11:4000 10.0.0.12:4000}', `${DEAD} ${instance}`],
      ]);
      const options = '{\n\tadmin off\n\tauto_https disable_redirects\n}\n';
      writeFileSync(join(folder, 'Caddyfile'), options + content);
      return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
    },
  },
];

async function startProxy(t: TestContext, proxy: Proxy, service: ServiceProcess) {
  const folder = temporaryFolder(t);
  const port = await freePort();
  const args = proxy.configure(folder, port, new URL(service.baseUrl).host);
  const child: ChildProcess = spawn(proxy.program[0], args, {
    env: { PATH: process.env.PATH, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let reported = '';
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    reported += piece;
  });
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const ca = readFileSync(join(folder, 'certificate.pem'));
  const send = async (
    method: string,
    path: string,
    { token, body, headers = {} }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
  ) => {
    const call = request({ host: '127.0.0.1', port, ca, method, path, agent: false, headers });
    if (token !== undefined) call.setHeader('Authorization', `Bearer ${token}`);
    if (body !== undefined) call.setHeader('Content-Type', 'application/json');
    call.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(call, 'response')) as [import('node:http').IncomingMessage];
    return response;
  };
  const answer = async (...args: Parameters<typeof send>) => {
    const response = await send(...args);
    const content = await text(response);
    return { status: response.statusCode, headers: response.headers, text: content };
  };
  await until('the proxy', async () => {
    assert.equal(child.exitCode, null, reported);
    return answer('GET', '/openapi.json').then(
      ({ status }) => status === 200,
      () => false,
    );
  });
  return { send, answer };
}

for (const proxy of PROXIES) {
  const [program, ...args] = proxy.program;
  const found = spawnSync(program, args).status === 0 && spawnSync('openssl', ['version']).status === 0;
  const skip = found ? false : `${program} or openssl is not installed (apt-get install ${program} openssl)`;

  test(`a trade through ${proxy.name} as it is configured in ops, beside an instance that is dead`, {
    skip,
  }, async (t) => {
    const { url } = await createTestDatabase();
    const service = await startService(t, temporaryFolder(t), {
      DATABASE_URL: url,
      FIRMQUOTE_TRUST_PROXY: '127.0.0.1',
    });
    const { send, answer } = await startProxy(t, proxy, service);
    const { customer, audience } = readCredentials(service.dataDir);
    const tokens = await answer('POST', '/oauth/token', {
      body: {
        client_id: customer.clientId,
        client_secret: customer.clientSecret,
        audience,
        grant_type: 'client_credentials',
      },
    });
    assert.equal(tokens.status, 200, tokens.text);
    const token: string = JSON.parse(tokens.text).access_token;
    const quote = await answer('POST', '/v1/customer/quotes', { token, body: QUOTE_BODY });
    assert.equal(quote.status, 201, quote.text);
    const { quoteId } = JSON.parse(quote.text);
    const trade = await answer('POST', `/v1/customer/quotes/${quoteId}/execute`, { token });
    assert.equal(trade.status, 201, trade.text);

    // Prices are passed on as they come.
    const stream = await send('GET', '/v1/customer/prices/stream?pairs=EURUSD', {
      token,
      headers: { accept: 'text/event-stream' },
    });
    assert.equal(stream.statusCode, 200);
    let received = '';
    for await (const piece of stream.setEncoding('utf8')) {
      received += piece;
      if (/^event: price$/m.test(received) || received.length > 100_000) break;
    }
    assert.match(received, /EURUSD/);

    const { operator } = await sandboxApis(service);
    for (const path of INSIDE) {
      const inside = await operator.call('GET', path);
      assert.equal(inside.status, 200, `${path} is one of the service's`);
      const outside = await answer('GET', path, { token: operator.token });
      assert.equal(outside.status, 404, `${path} is not for outside`);
    }

    // The address of a caller is what the proxy sees, whatever the caller says.
    const { body } = await operator.expect(200, 'GET', '/v1/operator/customers');
    const path = `/v1/operator/customers/${body.items[0].customerId}/credentials/${customer.clientId}/ip-allow-list`;
    await operator.expect(200, 'PUT', path, { ipAllowList: ['203.0.113.7'] });
    const forged = await answer('GET', '/v1/customer/limits', {
      token,
      headers: { 'X-Forwarded-For': '203.0.113.7' },
    });
    assert.equal(forged.status, 403, forged.text);
    assert.equal(JSON.parse(forged.text).code, 'ip_not_allowed');
    assert.match(forged.text, /127\.0\.0\.1/);
  });
}
