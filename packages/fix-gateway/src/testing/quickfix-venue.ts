import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const SOURCE = join(import.meta.dirname, 'quickfix/venue.cpp');
const MODULES = resolve(import.meta.dirname, '../../node_modules');
const COMPILE_LIMIT_MS = 120_000;
const START_LIMIT_MS = 60_000;

/** Where the program is, or why it cannot be built. It is built once for each state of its source. */
export function buildQuickfixVenue(): { readonly program: string } | { readonly reason: string } {
  const hash = createHash('sha256').update(readFileSync(SOURCE)).digest('hex').slice(0, 16);
  const program = join(MODULES, '.cache', `quickfix-venue-${hash}`);
  if (existsSync(program)) return { program };
  const compiler = spawnSync('g++', ['--version'], { stdio: 'ignore' });
  if (compiler.status !== 0) return { reason: 'there is no g++' };
  if (!existsSync('/usr/include/quickfix/Application.h'))
    return { reason: 'libquickfix-dev is not installed' };
  mkdirSync(join(MODULES, '.cache'), { recursive: true });
  const fresh = `${program}.${process.pid}`;
  // Its headers have exception specifications that C++17 does not know any more.
  const options = ['-std=c++14', '-O0', '-w', SOURCE, '-o', fresh, '-lquickfix', '-lpthread'];
  const result = spawnSync('g++', options, { encoding: 'utf8', timeout: COMPILE_LIMIT_MS });
  if (result.status !== 0) throw new Error(`the QuickFIX venue does not compile:\n${result.stderr}`);
  renameSync(fresh, program);
  return { program };
}

export interface QuickfixVenueOptions {
  readonly program: string;
  /** Its message store and log; the same folder goes on with the same sequence numbers. */
  readonly folder: string;
  readonly compId: string;
  /** CompIDs that may log on. */
  readonly parties: readonly string[];
  readonly password: string;
  /** A free one by default. */
  readonly port?: number;
  /** 0: prices move on command only. */
  readonly intervalMs?: number;
  readonly heartbeatSeconds?: number;
}

/** The QuickFIX venue in a process of its own, which a test may kill. */
export class QuickfixVenue {
  readonly port: number;
  /** What it has said: CompID of the party, and what happened. */
  readonly said: string[] = [];
  readonly #options: QuickfixVenueOptions;
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(options: QuickfixVenueOptions, port: number, child: ChildProcess) {
    this.#options = options;
    this.port = port;
    this.#child = child;
    this.#ended = once(child, 'close');
  }

  /** Resolves when it listens. */
  static async start(options: QuickfixVenueOptions): Promise<QuickfixVenue> {
    const port = options.port ?? (await freePort());
    const file = join(options.folder, 'venue.cfg');
    mkdirSync(options.folder, { recursive: true });
    writeFileSync(file, configuration(options, port));
    const child = spawn(options.program, [file, String(options.intervalMs ?? 0)], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, VENUE_PASSWORD: options.password },
    });
    child.stdin.on('error', () => {});
    const venue = new QuickfixVenue(options, port, child);
    const ready = new Promise<void>((done, fail) => {
      const limit = setTimeout(() => fail(new Error('the QuickFIX venue does not start')), START_LIMIT_MS);
      let errors = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        errors += text;
      });
      createInterface(child.stdout).on('line', (line) => {
        venue.said.push(line);
        if (line === 'READY') {
          clearTimeout(limit);
          done();
        }
      });
      child.once('close', () => {
        clearTimeout(limit);
        fail(new Error(`the QuickFIX venue ended: ${errors}`));
      });
    });
    await ready;
    return venue;
  }

  command(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }

  /** Ends it: in order, with logouts, or at once. */
  async end(signal?: 'SIGKILL'): Promise<void> {
    if (signal === undefined) this.#child.stdin?.end();
    else this.#child.kill(signal);
    await this.#ended;
  }

  /** Starts it again after its end, on the same port and with the same numbers. */
  again(): Promise<QuickfixVenue> {
    return QuickfixVenue.start({ ...this.#options, port: this.port });
  }
}

function configuration(options: QuickfixVenueOptions, port: number): string {
  const { folder, compId, parties, heartbeatSeconds = 5 } = options;
  return [
    '[DEFAULT]',
    'ConnectionType=acceptor',
    `SocketAcceptPort=${port}`,
    'SocketReuseAddress=Y',
    // A session that never ends.
    'StartTime=00:00:00',
    'EndTime=00:00:00',
    `HeartBtInt=${heartbeatSeconds}`,
    `FileStorePath=${join(folder, 'store')}`,
    'UseDataDictionary=Y',
    // Debian's package has none.
    `DataDictionary=${join(MODULES, 'jspurefix/data/FIX44.xml')}`,
    'BeginString=FIX.4.4',
    `SenderCompID=${compId}`,
    ...parties.flatMap((party) => ['[SESSION]', `TargetCompID=${party}`]),
    '',
  ].join('\n');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
