import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Application, startApplication } from '../../src/application.ts';
import { loadConfig } from '../../src/config.ts';
import type { Pool } from '../../src/database/pool.ts';
import { PATIENT_IDLE_MS } from '../../src/database/session.ts';
import { createLogger, type Logger } from '../../src/platform/logger.ts';
import type { SandboxFile } from '../../src/sandbox/credentials-file.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { expectDeclaredHeaders } from './declared-answers.ts';
import { whenFileEnds } from './file-end.ts';
import { shownIn } from './pdf-text.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, or undefined without a body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly body: any;
  /** Of a PDF, what it shows. */
  readonly text: string;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Token instead of the customer's; null sends none. */
  readonly token?: string | null;
}

/** A whole service on a free port and a database of its own, with a customer's and an operator's token. */
export interface TestService {
  readonly application: Application;
  readonly baseUrl: string;
  readonly sandbox: SandboxFile;
  readonly pool: Pool;
  readonly database: TestDatabase;
  readonly customerToken: string;
  readonly operatorToken: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** The same with the operator's token. */
  operate(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  token(clientId: string, clientSecret: string): Promise<string>;
  stop(): Promise<void>;
}

/** @param environment settings beside those that a test always needs */
export async function startTestService(
  environment: Readonly<Record<string, string>> = {},
  options: { readonly database?: TestDatabase; readonly dataDir?: string; readonly logger?: Logger } = {},
): Promise<TestService> {
  const database = options.database ?? (await createTestDatabase());
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'fq-service-')));
  const settings = loadConfig({
    FIRMQUOTE_PORT: '0',
    FIRMQUOTE_DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    ...environment,
  });
  // Beside many others on its core, a test stands still for seconds, which would cost a service what it has under way.
  const config = { ...settings, transactionIdleMs: PATIENT_IDLE_MS };
  const faults: string[] = [];
  const logger = options.logger ?? createLogger('error', { write: (line) => faults.push(line) });
  const application = await startApplication(config, logger);
  const { sandbox } = application;
  if (sandbox === undefined) throw new Error('the test service runs in sandbox mode');
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= application.stop().then(async () => {
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    });
    return stopped;
  };
  whenFileEnds(stop);

  const { baseUrl, localUrl } = application;
  const token = async (clientId: string, clientSecret: string): Promise<string> => {
    const answer = await request(`${localUrl}/oauth/token`, 'POST', {
      body: {
        client_id: clientId,
        client_secret: clientSecret,
        audience: sandbox.content.audience,
        grant_type: 'client_credentials',
      },
    });
    if (answer.status !== 200) throw new Error(`no token: ${answer.text} ${faults.join('')}`);
    return answer.body.access_token;
  };
  const { customer, operator } = sandbox.content;
  const customerToken = await token(customer.clientId, customer.clientSecret);
  const operatorToken = await token(operator.clientId, operator.clientSecret);
  return {
    application,
    baseUrl,
    sandbox: sandbox.content,
    pool: database.pool,
    database,
    customerToken,
    operatorToken,
    token,
    stop,
    call: (method, path, call = {}) =>
      request(`${localUrl}${path}`, method, { token: customerToken, ...call }),
    operate: (method, path, body, headers = {}) =>
      request(`${localUrl}${path}`, method, { token: operatorToken, body, headers }),
  };
}

async function request(url: string, method: string, options: CallOptions): Promise<Answer> {
  const { body, token } = options;
  const headers: Record<string, string> = { ...options.headers };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers['Content-Type'] ??= 'application/json';
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  expectDeclaredHeaders(method, url, response.status, response.headers);
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get('Content-Type') ?? '';
  const isJson = /[/+]json/.test(type);
  const text = type === 'application/pdf' ? shownIn(bytes).join('\n') : new TextDecoder().decode(bytes);
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}
