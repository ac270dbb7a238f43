import { after } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { createTestDatabase } from '../../test/support/database.ts';
import { silentLogger } from '../../test/support/sandbox.ts';
import { auditHooks } from '../audit/hooks.ts';
import { AuditNotes } from '../audit/notes.ts';
import type { Pool } from '../database/pool.ts';
import { IdempotencyStore } from '../http/idempotency-store.ts';
import { CursorCodec } from '../http/paging.ts';
import { RateLimiter } from '../http/rate-limits.ts';
import { serveRaw } from '../http/serve.ts';
import { createServer } from '../http/server.ts';
import { VirtualClock } from '../platform/clock.ts';
import { Problem } from '../problems/problem.ts';
import { ensurePerson } from './ensure-person.ts';
import { READY_PERSONS } from './ready-persons.ts';
import { createPeople, type PeopleOptions } from './room.ts';

export const ORIGIN = 'https://desk.example';

export interface BrowserAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Parsed, where it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly body: any;
  readonly text: string;
}

/** A server with this room only, for the tests of the room. */
export interface PeopleServer {
  readonly pool: Pool;
  readonly realClock: VirtualClock;
  /** Nothing is sent that is not given. */
  request(
    method: string,
    url: string,
    headers?: Record<string, string>,
    payload?: string,
  ): Promise<BrowserAnswer>;
  browser(): TestBrowser;
  readonly sessions: ReturnType<typeof createPeople>['sessions'];
  /** What the audit trail has of refusals since it was asked before. */
  refusals(): Promise<{ operation: string; outcome: string; subjects: string[]; count: number }[]>;
}

const PROBE = { tag: 'Operations', summary: 'Ask who calls', answers: {} } as const;
const READ = { audience: 'operator', scope: 'operator:reports' } as const;

export async function startPeople(options: Partial<PeopleOptions> = {}, pool?: Pool): Promise<PeopleServer> {
  const database = pool ?? (await createTestDatabase()).pool;
  const realClock = new VirtualClock();
  const people = createPeople({
    pool: database,
    realClock,
    limiter: new RateLimiter(() => 0),
    rules: { idleMs: 3_600_000, lastsMs: 8 * 3_600_000, freshMs: 900_000 },
    origins: () => [ORIGIN],
    address: () => ORIGIN,
    passkeys: () => ({ rpId: 'desk.example', origins: [ORIGIN] }),
    invitationMs: 72 * 3_600_000,
    isSandbox: true,
    clockOffsetMs: () => 0,
    attempts: { perMinute: 1_000_000 },
    ...options,
  });
  const app = serverOfPeople(people, database, realClock);
  const notes = new AuditNotes(database, realClock);
  auditHooks(app, notes);
  people.routes(app);
  probeRoutes(app);
  after(() => app.close());
  for (const person of READY_PERSONS) await ensurePerson(database, person, realClock.now());
  let reported = '0';
  const server: PeopleServer = {
    pool: database,
    realClock,
    async request(method, url, headers = {}, payload) {
      const reply = await app.inject({
        method: method as 'GET',
        url,
        headers,
        ...(payload === undefined ? {} : { payload }),
      });
      const isJson = String(reply.headers['content-type'] ?? '').includes('json');
      const body = isJson && reply.body !== '' ? JSON.parse(reply.body) : undefined;
      return { status: reply.statusCode, headers: reply.headers, body, text: reply.body };
    },
    browser: () => new TestBrowser(server),
    sessions: people.sessions,
    async refusals() {
      await notes.write(true);
      const { rows } = await database.query(
        `select operation, outcome, subjects, count from audit_log where kind = 'refusal' and number > $1 order by number`,
        [reported],
      );
      const last = await database.query('select max(number) as number from audit_log');
      reported = last.rows[0]?.number ?? reported;
      return rows;
    },
  };
  return server;
}

/** A server that nobody calls but persons. */
function serverOfPeople(
  { sessions }: ReturnType<typeof createPeople>,
  pool: Pool,
  realClock: VirtualClock,
): FastifyInstance {
  const app = createServer({
    authenticator: {
      authenticate: () => {
        throw new Problem('token_missing', 'An access token is required.');
      },
    },
    sessions,
    customers: {
      access: () => {
        throw new Error('operators have no customer');
      },
    },
    limiter: new RateLimiter(),
    perAddress: { perMinute: 1_000_000 },
    clock: realClock,
    logger: silentLogger,
    accessLog: 'off',
    trustProxy: [],
    baseUrl: () => ORIGIN,
  });
  app.decorate('kit', {
    idempotency: new IdempotencyStore(pool),
    cursors: new CursorCodec(Buffer.alloc(32)),
    recordAct: async () => undefined,
  });
  return app;
}

/** Something to read, something to change, and something that takes a fresh sign-in. */
function probeRoutes(app: FastifyInstance): void {
  serveRaw(
    app,
    { ...PROBE, id: 'probe', method: 'GET', path: '/v1/operator/probe', access: READ },
    (request) => ({
      ...request.caller,
      scopes: [...(request.caller?.scopes ?? [])],
    }),
  );
  const change = {
    ...({ ...PROBE, method: 'POST', access: READ, path: '/v1/operator/probe' } as const),
    audited: 'nothing',
  } as const;
  serveRaw(app, { ...change, id: 'change' }, () => ({ done: true }));
  const fresh = {
    ...change,
    id: 'move',
    path: '/v1/operator/fresh',
    access: { ...READ, fresh: true },
  } as const;
  serveRaw(app, fresh, () => ({ done: true }));
}

/** What a browser does: keeps cookies, and says where its requests come from. */
export class TestBrowser {
  readonly #server: Pick<PeopleServer, 'request'>;
  readonly cookies = new Map<string, string>();
  readonly #strict = new Set<string>();

  constructor(server: Pick<PeopleServer, 'request'>) {
    this.#server = server;
  }

  async send(
    method: string,
    url: string,
    headers: Record<string, string> = {},
    payload?: string,
  ): Promise<BrowserAnswer> {
    // On its way back from the provider a browser shows no strict cookie.
    const isBack = url.startsWith('/auth/oidc/callback');
    const cookie = [...this.cookies]
      .filter(([name]) => !isBack || !this.#strict.has(name))
      .map(([name, value]) => `${name}=${value}`)
      .join('; ');
    const answer = await this.#server.request(
      method,
      url,
      {
        ...(cookie === '' ? {} : { cookie }),
        ...(method === 'GET' ? {} : { origin: ORIGIN, 'sec-fetch-site': 'same-origin' }),
        ...headers,
      },
      payload,
    );
    const set = answer.headers['set-cookie'];
    for (const each of Array.isArray(set) ? set : set === undefined ? [] : [String(set)]) this.#keep(each);
    return answer;
  }

  #keep(header: string): void {
    const [name = '', value = ''] = (header.split(';', 1)[0] ?? '').split('=');
    if (header.includes('Max-Age=0')) this.cookies.delete(name);
    else this.cookies.set(name, value);
    if (header.includes('SameSite=Strict')) this.#strict.add(name);
    else this.#strict.delete(name);
  }

  get(url: string): Promise<BrowserAnswer> {
    return this.send('GET', url);
  }

  /** As a page of the service does: with what it knows of the session. */
  async change(method: string, url: string, body?: unknown, more = {}): Promise<BrowserAnswer> {
    const { body: session } = await this.get('/auth/session');
    const headers = { 'x-csrf-token': String(session?.csrfToken ?? ''), ...more };
    if (body === undefined) return this.send(method, url, headers);
    return this.send(method, url, { ...headers, 'content-type': 'application/json' }, JSON.stringify(body));
  }

  form(url: string, fields: Readonly<Record<string, string>>, headers = {}): Promise<BrowserAnswer> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    return this.send('POST', url, { ...type, ...headers }, new URLSearchParams(fields).toString());
  }

  signInAs(who: 'dealer' | 'operations' | 'approver', returnTo = ''): Promise<BrowserAnswer> {
    return this.form('/auth/sandbox', { email: `${who}@sandbox.example`, return_to: returnTo });
  }
}
