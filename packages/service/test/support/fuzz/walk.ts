import { OPERATIONS } from '@firmquote/api';
import type { Operation } from '@firmquote/api/operation';
import { Random } from '../../../../../soak/random.ts';
import type { Customer } from '../acceptance.ts';
import { sessionHeaders } from '../four-eyes.ts';
import type { Answer, TestService } from '../service.ts';
import { faultOf } from './judge.ts';
import { Known } from './known.ts';
import { type Draft, hostileSent, validDraft, written } from './requests.ts';
import { type Sent, Wire } from './wire.ts';

/** What was sent to an operation, and what came back. */
export interface Covered {
  sent: number;
  succeeded: number;
  readonly statuses: Map<number, number>;
}

export interface Fault {
  readonly operation: string;
  readonly fault: string;
  /** As it can be sent again. */
  readonly request: string;
}

const FAULTS_MAX = 30; // limit: Faults that a walk tells of
const REQUEST_TEXT_MAX = 1_500; // limit: Characters of a request that is told

/** A walk over all operations of a service. */
export class Walk {
  readonly known = new Known();
  readonly random: Random;
  readonly covered = new Map<string, Covered>();
  readonly faults: Fault[] = [];
  readonly service: TestService;
  /** What was read last at an address. */
  readonly #documents = new Map<string, unknown>();
  readonly #wire: Wire;
  readonly #customer: Customer;
  /** Of each who calls; one that is refused is asked for anew. */
  readonly #tokens = new Map<Who, string>();
  #page: Readonly<Record<string, string>> | undefined;

  constructor(service: TestService, customer: Customer, seed: number) {
    this.service = service;
    this.random = new Random(seed);
    this.#customer = customer;
    this.#wire = new Wire(service.application.localUrl);
    for (const { id } of OPERATIONS) this.covered.set(id, { sent: 0, succeeded: 0, statuses: new Map() });
    const { operator, secondOperator } = service.sandbox;
    this.known.keep(customer.customerId, customer.clientId, operator.clientId, secondOperator.clientId);
  }

  /** One request that may succeed. */
  async tryValid(operation: Operation, optional: number): Promise<boolean> {
    const making = { known: this.known, random: this.random, optional };
    const answer = await this.#send(operation, written(validDraft(operation, making, this.#documents)));
    return answer !== undefined && answer.status < 300;
  }

  async tryHostile(operation: Operation): Promise<void> {
    const making = { known: this.known, random: this.random, optional: this.random.next() };
    const draft = validDraft(operation, making, this.#documents);
    await this.#send(operation, hostileSent(draft, this.random, this.known));
  }

  /** One that somebody has thought of. */
  async call(id: string, draft: Partial<Omit<Draft, 'operation'>> = {}): Promise<Answer> {
    const operation = operationOf(id);
    const made: Draft = { operation, params: {}, query: [], headers: {}, body: undefined, ...draft };
    const key = operation.method === 'POST' && {
      'Idempotency-Key': `story-${this.random.between(0, 2 ** 40)}`,
    };
    const match = operation.conditional !== undefined && { 'If-Match': '*' };
    const answer = await this.#send(
      operation,
      written({ ...made, headers: { ...key, ...match, ...made.headers } }),
    );
    if (answer === undefined) throw new Error(`no answer of ${id}`);
    return answer;
  }

  /** As {@link call}, of a request that another test has made up. */
  async sendTo(
    id: string,
    {
      method,
      path,
      body,
      headers = {},
    }: { method: string; path: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<void> {
    const operation = operationOf(id);
    const isText = typeof body === 'string';
    await this.#send(operation, {
      method,
      path,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        'Firmquote-Reason': 'as agreed',
        ...headers,
      },
      body: body === undefined ? undefined : Buffer.from(isText ? body : JSON.stringify(body)),
    });
  }

  get customerId(): string {
    return this.#customer.customerId;
  }

  end(): void {
    this.#wire.end();
  }

  async #send(operation: Operation, sent: Sent): Promise<Answer | undefined> {
    const headers = { ...(await this.#identity(operation)), ...sent.headers };
    const request = () =>
      `${sent.method} ${sent.path} ${JSON.stringify(sent.headers)} ${sent.body?.toString() ?? ''}`.slice(
        0,
        REQUEST_TEXT_MAX,
      );
    const covered = this.covered.get(operation.id);
    if (covered === undefined) throw new Error(`${operation.id} is no operation`);
    covered.sent += 1;
    let answer: Answer;
    try {
      answer = await this.#wire.send({ ...sent, headers });
      if (
        answer.status === 401 &&
        sent.headers.Authorization === undefined &&
        operation.access !== undefined
      ) {
        // A key was revoked, or a client: those who call go on with a new token, as clients do.
        this.#tokens.clear();
        this.#page = undefined;
        answer = await this.#wire.send({
          ...sent,
          headers: { ...(await this.#identity(operation)), ...sent.headers },
        });
      }
    } catch (error) {
      // Node refuses to send what cannot be written into a request at all.
      if (error instanceof TypeError) return undefined;
      this.#fault(operation, `no answer: ${error}`, request());
      return undefined;
    }
    const { status, body } = answer;
    covered.statuses.set(status, (covered.statuses.get(status) ?? 0) + 1);
    if (status < 300) {
      covered.succeeded += 1;
      this.known.learn(body);
      if (operation.method === 'GET') this.#documents.set(sent.path, body);
    }
    const fault = faultOf(operation, answer);
    if (fault !== undefined) this.#fault(operation, fault, request());
    return answer;
  }

  #fault({ id }: Operation, fault: string, request: string): void {
    if (this.faults.length < FAULTS_MAX) this.faults.push({ operation: id, fault, request });
  }

  async #newToken(who: Who): Promise<string> {
    const { operator, secondOperator } = this.service.sandbox;
    const { clientId, clientSecret } = { customer: this.#customer, first: operator, second: secondOperator }[
      who
    ];
    const token = await this.service.token(clientId, clientSecret);
    this.#tokens.set(who, token);
    return token;
  }

  async #identity({ id, access, path }: Operation): Promise<Readonly<Record<string, string>>> {
    if (access === undefined) return {};
    if (path.startsWith('/auth/')) {
      this.#page ??= await sessionHeaders(this.service, 'dealer@sandbox.example');
      const page = this.#page;
      // It ends with the request.
      if (id === 'signOut') this.#page = undefined;
      return page;
    }
    const who = access.audience === 'customer' ? 'customer' : SECOND.has(id) ? 'second' : 'first';
    const token = this.#tokens.get(who) ?? (await this.#newToken(who));
    return { Authorization: `Bearer ${token}`, ...(SOCKETS.has(id) && UPGRADE) };
  }
}

type Who = 'customer' | 'first' | 'second';

/** Done by the second person. */
const SECOND: ReadonlySet<string> = new Set(['approve', 'rejectApproval']);
const SOCKETS: ReadonlySet<string> = new Set(['openPriceSocket']);
const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

export function operationOf(id: string): Operation {
  const found = OPERATIONS.find((each) => each.id === id);
  if (found === undefined) throw new Error(`${id} is no operation`);
  return found;
}

const ORDER: Readonly<Record<Operation['method'], number>> = { GET: 0, POST: 1, PUT: 2, PATCH: 3, DELETE: 4 };

/** Reading first, which tells of ids, and taking away last. */
export const IN_ORDER: readonly Operation[] = OPERATIONS.toSorted(
  (a, b) => ORDER[a.method] - ORDER[b.method] || Number(a.path.includes('{')) - Number(b.path.includes('{')),
);
