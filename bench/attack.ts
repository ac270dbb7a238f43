import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFlags } from '../scripts/flags.ts';
import { SERVICE_ENVIRONMENT } from '../scripts/service-environment.mjs';

/**
 * One connection after the other asks 300 times at once for the largest public answer and reads none of them, while another
 * customer asks for prices. Prints that customer's latencies without and with the attack, and the memory of the service
 * before and after it. Ends with 1 when p99 is above 50 ms or more than 100 MB stay.
 */
const USAGE = 'npm run bench:attack [-- --seconds 5]';
const ROOT = join(import.meta.dirname, '..');
const P99_MAX_MS = 50;
const MEMORY_MAX_MB = 100;
const REQUESTS = 300;
const ATTACKERS = 4;
const PAUSE_MS = 200;
const SCRIPT = '/docs/try/js/scalar.js';

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const seconds = readFlags({ usage: USAGE, values: ['seconds'] }).number('seconds', 5, 1, 60);

const folder = mkdtempSync(join(tmpdir(), 'fq-attack-'));
chmodSync(folder, 0o711);
const service = spawn(process.execPath, [join(ROOT, 'packages/service/src/main.ts')], {
  env: {
    PATH: process.env.PATH,
    ...SERVICE_ENVIRONMENT,
    FIRMQUOTE_PORT: '0',
    FIRMQUOTE_DATA_DIR: join(folder, 'data'),
    FIRMQUOTE_ACCESS_LOG: 'off',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  process.exitCode = await run(await listening());
} finally {
  service.kill('SIGTERM');
  await new Promise((resolve) => service.once('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
}

function listening(): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    service.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const port = /listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1];
      if (port !== undefined) resolve(Number.parseInt(port, 10));
    });
    service.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
  });
}

async function run(port: number): Promise<number> {
  const token = await tokenOf(port);
  // It is made when it is first asked for, which is not what is measured.
  await (await fetch(`http://127.0.0.1:${port}${SCRIPT}`)).arrayBuffer();
  await pricesFor(port, token, 1_000);
  const quiet = await pricesFor(port, token, seconds * 1_000);
  const memory = memoryMb();
  const stop = attack(port);
  const attacked = await pricesFor(port, token, seconds * 1_000);
  const attacks = stop();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const stays = memoryMb() - memory;
  console.log(`quiet     p50 ${quiet.p50.toFixed(1)} ms, p99 ${quiet.p99.toFixed(1)} ms`);
  console.log(
    `attacked  p50 ${attacked.p50.toFixed(1)} ms, p99 ${attacked.p99.toFixed(1)} ms (${attacks} attacks)`,
  );
  console.log(`memory    ${memory.toFixed(0)} MB before, ${stays.toFixed(0)} MB more after`);
  return attacked.p99 <= P99_MAX_MS && stays <= MEMORY_MAX_MB ? 0 : 1;
}

/** Keeps some attackers busy; what it returns ends them and tells how often they came. */
function attack(port: number): () => number {
  const bytes = `GET ${SCRIPT} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(REQUESTS);
  const open = new Set<Socket>();
  let count = 0;
  let running = true;
  const begin = () => {
    if (!running) return;
    count += 1;
    const socket = connect({ host: '127.0.0.1', port });
    open.add(socket);
    socket.pause();
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(socket);
      setTimeout(begin, PAUSE_MS);
    });
    socket.write(bytes);
    // One that is not thrown out goes by itself and comes back.
    setTimeout(() => socket.destroy(), 200);
  };
  for (let i = 0; i < ATTACKERS; i++) begin();
  return () => {
    running = false;
    for (const socket of open) socket.destroy();
    return count;
  };
}

function call(port: number, path: string, body: unknown, token?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const sent = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(text),
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        },
      },
      async (answer) => {
        const chunks = await answer.toArray();
        resolve(Buffer.concat(chunks).toString());
      },
    );
    sent.on('error', reject);
    sent.end(text);
  });
}

async function tokenOf(port: number): Promise<string> {
  const file = join(folder, 'data/sandbox.json');
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 100));
  const { customer, audience } = JSON.parse(readFileSync(file, 'utf8'));
  const answer = await call(port, '/oauth/token', {
    client_id: customer.clientId,
    client_secret: customer.clientSecret,
    audience,
    grant_type: 'client_credentials',
  });
  return JSON.parse(answer).access_token;
}

/** Latencies of one price after the other, twenty a second: what one desk asks for. */
async function pricesFor(port: number, token: string, ms: number): Promise<{ p50: number; p99: number }> {
  const body = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '100000.00' };
  const taken: number[] = [];
  const end = performance.now() + ms;
  while (performance.now() < end) {
    const from = performance.now();
    await call(port, '/v1/customer/quotes/indicative', body, token);
    taken.push(performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  taken.sort((a, b) => a - b);
  const of = (share: number) => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))] ?? 0;
  return { p50: of(0.5), p99: of(0.99) };
}

/** Resident memory of the service. */
function memoryMb(): number {
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8');
  return Number.parseInt(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? '0', 10) / 1024;
}
