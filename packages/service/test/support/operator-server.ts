import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { ProposalKind } from '@firmquote/api/command-kinds';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { ApprovalKind } from '../../src/approvals/approvals.ts';
import { approvalRoutes } from '../../src/approvals/routes.ts';
import { debtApproval } from '../../src/balances/debts.ts';
import { balanceRoutes } from '../../src/balances/routes.ts';
import { withdrawalApproval } from '../../src/balances/withdraw.ts';
import { statementApprovals } from '../../src/bank-statements/approval-kinds.ts';
import { bankRoutes } from '../../src/bank-statements/bank-routes.ts';
import { statementRoutes } from '../../src/bank-statements/routes.ts';
import type { Connection, Pool } from '../../src/database/pool.ts';
import { depositApprovals } from '../../src/deposits/approval-kinds.ts';
import { rulesInForce } from '../../src/deposits/matching-settings.ts';
import { depositRoutes } from '../../src/deposits/routes.ts';
import { workRoutes } from '../../src/exceptions/routes.ts';
import { IdempotencyStore } from '../../src/http/idempotency-store.ts';
import { listTurns } from '../../src/http/list-turns.ts';
import { CursorCodec } from '../../src/http/paging.ts';
import { RateLimiter } from '../../src/http/rate-limits.ts';
import { createServer } from '../../src/http/server.ts';
import { ledgerRoutes } from '../../src/ledger/routes.ts';
import { cancelRunApproval } from '../../src/payments/end-run.ts';
import { unwindApproval } from '../../src/payments/end-transaction.ts';
import { paymentRoutes } from '../../src/payments/routes.ts';
import { Problem } from '../../src/problems/problem.ts';
import { MarketControls } from '../../src/sandbox/control-market.ts';
import { sandboxRoutes } from '../../src/sandbox/routes.ts';
import { enableSandboxBank } from '../../src/sandbox/store.ts';
import type { TransactionRow } from '../../src/transactions/record.ts';
import { createTestDatabase } from './database.ts';
import { createSandbox, type Sandbox, silentLogger } from './sandbox.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** OAuth clients of the operators of tests; the first one calls unless the token names `second`. */
export const OPERATOR_IDS = {
  first: '0195f000-0000-7000-8000-00000000000a',
  second: '0195f000-0000-7000-8000-00000000000b',
} as const;
/** Who answers for them. */
export const PERSON_IDS = {
  first: '0195f000-0000-8000-8000-00000000000a',
  second: '0195f000-0000-8000-8000-00000000000b',
} as const;
/** Headers of the second operator. */
export const AS_SECOND = { authorization: 'Bearer operator:* second' };

/** Routes of reconciliation, settlement, the ledger and (in sandbox mode) the sandbox; a token is the scopes that it has. */
export interface OperatorServer {
  call(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply>;
  /** A file of statements, with parameters such as `?format=csv`. */
  upload(content: string | Buffer, query?: string): Promise<Reply>;
  /** For answers that are not JSON. */
  raw(
    method: 'GET' | 'HEAD',
    url: string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<LightMyRequestResponse>;
  close(): Promise<unknown>;
}

/** The reply to a command; where it takes two, that to its approval by the second one. */
export async function approved(server: OperatorServer, asked: Reply): Promise<Reply> {
  if (asked.status !== 202) return asked;
  return server.call('POST', `/v1/operator/approvals/${asked.body.approvalId}/approve`, {}, AS_SECOND);
}

/** What people read and say, with a reason; `done` by the second one too, where it takes two. */
export function peopleOf(server: () => OperatorServer) {
  const say = (path: string, body: object = {}, key: Record<string, string> = {}) =>
    server().call('POST', `/v1/operator/${path}`, { reason: 'the bank says so', ...body }, key);
  return {
    get: async (path: string) => (await server().call('GET', `/v1/operator/${path}`)).body,
    say,
    async done(path: string, body: object = {}, key: Record<string, string> = {}) {
      const reply = await approved(server(), await say(path, body, key));
      assert.ok(reply.status < 202, JSON.stringify(reply.body));
      return reply.body;
    },
  };
}

/** A sandbox over a database of its own, with the server of its operators. */
export async function createOperatedSandbox(options: { readonly withBank?: boolean } = {}): Promise<{
  readonly pool: Pool;
  readonly sandbox: Sandbox;
  readonly server: OperatorServer;
}> {
  const { pool } = await createTestDatabase({ connections: 8 });
  if (options.withBank === true) await enableSandboxBank(pool);
  const sandbox = await createSandbox(pool);
  return { pool, sandbox, server: createOperatorServer(sandbox) };
}

export function createOperatorServer(
  sandbox: Sandbox,
  isSandbox = true,
  kinds: ReadonlyMap<ProposalKind, ApprovalKind> = new Map([
    ...depositApprovals(sandbox.desk),
    ...statementApprovals(sandbox.desk),
    withdrawalApproval(),
    debtApproval(),
    cancelRunApproval(sandbox.desk),
    unwindApproval(sandbox.desk),
  ]),
): OperatorServer {
  const app = serverOf(sandbox, isSandbox, kinds);
  let known: Promise<unknown> | undefined;
  const call: OperatorServer['call'] = async (method, url, body, headers = {}) => {
    known ??= makeOperatorsKnown(sandbox.desk.pool);
    await known;
    const options: InjectOptions = {
      method,
      url,
      headers: { authorization: 'Bearer operator:*', ...headers },
      ...(body === undefined ? {} : { payload: body as object }),
    };
    const reply = await app.inject(options);
    return {
      status: reply.statusCode,
      headers: reply.headers,
      body: reply.body === '' ? undefined : JSON.parse(reply.body),
    };
  };
  return {
    call,
    upload: (content, query = '') =>
      call('POST', `/v1/operator/statements${query}`, content, {
        'content-type': 'application/octet-stream',
      }),
    raw: (method, url, headers = {}) =>
      app.inject({ method, url, headers: { authorization: 'Bearer operator:*', ...headers } }),
    close: () => app.close(),
  };
}

/** The tokens of tests are no real ones; the operators behind them are, for what looks them up. */
async function makeOperatorsKnown(pool: Pool): Promise<void> {
  for (const who of ['first', 'second'] as const) {
    await pool.query(
      `insert into persons (id, email, name, status, roles, created_at, updated_at)
       values ($1, $2, $2, 'active', '{operations,finance}', now(), now()) on conflict do nothing`,
      [PERSON_IDS[who], `${who}@example.com`],
    );
    await pool.query(
      `insert into oauth_clients (id, kind, name, scopes, responsible, created_at, updated_at)
       values ($1, 'operator', $2, '{operator:*}', $3, now(), now()) on conflict do nothing`,
      [OPERATOR_IDS[who], who, PERSON_IDS[who]],
    );
  }
}

function serverOf(
  sandbox: Sandbox,
  isSandbox: boolean,
  kinds: ReadonlyMap<ProposalKind, ApprovalKind>,
): FastifyInstance {
  const server = createServer({
    authenticator: {
      authenticate: (authorization) => {
        const scopes = (authorization ?? '').replace(/^Bearer /, '').split(' ');
        if (scopes[0] === '') throw new Problem('token_missing', 'An access token is required.');
        const who = scopes.includes('second') ? 'second' : 'first';
        return {
          actor: { kind: 'client', id: OPERATOR_IDS[who] },
          personId: PERSON_IDS[who],
          tokenId: OPERATOR_IDS[who],
          customerId: undefined,
          scopes: new Set(scopes),
        };
      },
    },
    customers: {
      access: () => {
        throw new Error('operators have no customer');
      },
    },
    limiter: new RateLimiter(),
    perAddress: { perMinute: 1_000_000 },
    clock: sandbox.clock,
    logger: silentLogger,
    accessLog: 'off',
    trustProxy: [],
    baseUrl: () => 'http://localhost',
  });
  const idempotency = new IdempotencyStore(sandbox.desk.pool);
  const cursors = new CursorCodec(randomBytes(32));
  const lists = listTurns(sandbox.desk.pool.options.max);
  server.decorate('kit', { idempotency, cursors, lists, recordAct: async () => undefined });
  depositRoutes(server, sandbox.desk);
  statementRoutes(server, sandbox.desk);
  bankRoutes(server, sandbox.desk);
  workRoutes(server, sandbox.desk);
  const { pool, clock } = sandbox.desk;
  approvalRoutes(server, { pool, clock, kinds, ttlMs: 72 * 3_600_000 });
  const fourEyesFromUsdMinor = async (connection: Connection) =>
    (await rulesInForce(connection)).fourEyesFromUsdMinor;
  balanceRoutes(server, { pool, clock, fourEyesFromUsdMinor });
  paymentRoutes(server, sandbox.desk);
  ledgerRoutes(server, sandbox.desk);
  if (isSandbox) {
    const { controls, runner } = sandbox;
    sandboxRoutes(server, {
      ...sandbox.desk,
      logger: silentLogger,
      controls,
      marketControls: new MarketControls(sandbox.desk.market, () => sandbox.desk.clock.now()),
      sweeps: runner,
    });
  }
  return server;
}

/** An entry of 100,000.00 USD that names the trade. */
export const depositOf = (row: TransactionRow, bankReference: string) => ({
  bankReference,
  amount: '100000.00',
  currency: 'USD',
  remitterName: 'Acme Ltd',
  remittanceText: `INV 5 ${row.reference}`,
});
