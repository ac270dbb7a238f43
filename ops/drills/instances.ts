import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { withToken } from '../../packages/service/test/support/api.ts';
import { makeCertificate } from '../../packages/service/test/support/certificate.ts';
import {
  type Environment,
  freePort,
  type ServiceProcess,
  startService,
  temporaryFolder,
  until,
} from '../../packages/service/test/support/process.ts';
import { configured, Programs, type Running } from './programs.ts';
import { skipWithout } from './shell.ts';

/** Three instances of the service on one database, and HAProxy before them as it is configured in `ops/haproxy`. */

export const NAMES = ['one', 'two', 'three'] as const;
export type InstanceName = (typeof NAMES)[number];

/** Lets a program have a clock of its own, which follows what a file says. */
const FAKE_CLOCK = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
/** Tokens name these and not the port, so that every instance takes them. */
const ADDRESSES = {
  FIRMQUOTE_AUDIENCE: 'https://fx.example.com',
  FIRMQUOTE_AUTH_URL: 'https://auth.example.com',
};

/** Why there can be none here, or false. */
export function skipWithoutBalancer(): string | false {
  const missing = skipWithout('anybody', 'haproxy', 'openssl');
  return missing && `${missing} (apt-get install haproxy openssl)`;
}

/** Why no clock can be set apart here, or false. */
export function skipWithoutFakeClock(): string | false {
  return existsSync(FAKE_CLOCK) ? false : `there is no ${FAKE_CLOCK} here (apt-get install faketime)`;
}

interface Place {
  readonly name: InstanceName;
  readonly port: number;
  /** Seconds that its clock is ahead, as faketime reads them. */
  readonly clockFile: string;
}

interface Balancer extends Pick<Running, 'child' | 'reported'> {
  readonly port: number;
  /** Its certificate. */
  readonly ca: string;
}

export class Instances {
  /** What customers reach. */
  readonly balancer: Balancer;
  readonly dataDir: string;
  readonly #t: TestContext;
  readonly #environment: Environment;
  readonly #places: readonly Place[];
  readonly #running = new Map<InstanceName, ServiceProcess>();

  private constructor(
    t: TestContext,
    places: readonly Place[],
    balancer: Balancer,
    environment: Environment,
  ) {
    this.#t = t;
    this.#places = places;
    this.#environment = environment;
    this.balancer = balancer;
    this.dataDir = environment.FIRMQUOTE_DATA_DIR ?? '';
  }

  static async start(t: TestContext, databaseUrl: string): Promise<Instances> {
    const folder = temporaryFolder(t);
    const places: Place[] = [];
    for (const name of NAMES) {
      const clockFile = join(folder, `clock-${name}`);
      writeFileSync(clockFile, '+0\n');
      places.push({ name, port: await freePort(), clockFile });
    }
    const instances = new Instances(t, places, await startBalancer(t, folder, places), {
      ...ADDRESSES,
      DATABASE_URL: databaseUrl,
      FIRMQUOTE_DATABASE_CONNECTIONS: '6',
      FIRMQUOTE_DATA_DIR: join(folder, 'data'),
      FIRMQUOTE_ACCESS_LOG: 'off',
      FIRMQUOTE_LOG_LEVEL: 'warn',
      FIRMQUOTE_SOURCES: 'push',
      FIRMQUOTE_TRUST_PROXY: '127.0.0.1',
    });
    for (const name of NAMES) await instances.startOne(name);
    return instances;
  }

  /** Its own address, past the balancer. */
  url(name: InstanceName): string {
    return `http://127.0.0.1:${this.#place(name).port}`;
  }

  process(name: InstanceName): ServiceProcess {
    const process = this.#running.get(name);
    if (process === undefined) throw new Error(`${name} was never started`);
    return process;
  }

  /** Starts it where it was, and waits until the balancer may send it traffic. */
  async startOne(name: InstanceName): Promise<void> {
    const { port, clockFile } = this.#place(name);
    const environment = { ...this.#environment, FIRMQUOTE_PORT: String(port), ...clockOf(clockFile) };
    this.#running.set(name, await startService(this.#t, this.dataDir, environment));
    await this.ready(name);
  }

  async ready(name: InstanceName): Promise<void> {
    await until(`${name} is ready`, async () => (await this.readiness(name))?.ready === true);
  }

  /** What `/readyz` says; undefined where nobody answers. */
  async readiness(
    name: InstanceName,
  ): Promise<{ ready: boolean; checks: { clock: { ok: boolean } } } | undefined> {
    try {
      return (await withToken(this.url(name), '').call('GET', '/readyz')).body;
    } catch {
      return undefined;
    }
  }

  /** Sets its clock so many seconds apart from the machine's. */
  setClock(name: InstanceName, seconds: number): void {
    writeFileSync(this.#place(name).clockFile, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }

  #place(name: InstanceName): Place {
    const place = this.#places.find((each) => each.name === name);
    if (place === undefined) throw new Error(`there is no instance ${name}`);
    return place;
  }
}

function clockOf(file: string): Environment {
  if (skipWithoutFakeClock() !== false) return {};
  return {
    LD_PRELOAD: FAKE_CLOCK,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

async function startBalancer(t: TestContext, folder: string, places: readonly Place[]): Promise<Balancer> {
  const { certificate, both } = makeCertificate(folder);
  const port = await freePort();
  const servers = places.map((each) => `server ${each.name} 127.0.0.1:${each.port}`);
  const file = join(folder, 'haproxy.cfg');
  const content = configured('haproxy/haproxy.cfg', {
    ':443': `127.0.0.1:${port}`,
    '/etc/haproxy/fx.example.com.pem': both,
    'server one 10.0.0.11:4000\n  server two 10.0.0.12:4000': servers.join('\n  '),
  });
  writeFileSync(file, content);
  const { child, reported } = new Programs(t).start('/usr/sbin/haproxy', ['-db', '-f', file]);
  return { port, ca: readFileSync(certificate, 'utf8'), child, reported };
}
