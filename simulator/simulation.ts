import { createHash, type Hash } from 'node:crypto';
import { Random } from '../soak/random.ts';
import { type Databases, Observer } from './database.ts';
import { Feed } from './feed.ts';
import { type Answer, drive, Instance, LOST, type Request } from './instance.ts';
import { Ledger } from './ledger.ts';
import { Model, type ModelCustomer } from './model.ts';
import { BEGIN, type Credentials, type Stage } from './stage.ts';
import { drawIdsAnew, Machine, World } from './time.ts';
import { Violation } from './violation.ts';

export const INSTANCES = 3;

export type Operator = 'first' | 'second' | 'bank';

/** What is put into the database, so that something goes wrong. */
export type SimulationFault = (observer: Observer) => Promise<void>;

/** An instance that stands still, in the middle of what it was asked. */
export interface Stall {
  readonly instance: Instance;
  /** What it was executing: whether that is done, nobody knows. */
  readonly quoteId: string;
  /** Lets it go on, and drives what it was at to its end. */
  readonly goOn: () => Promise<void>;
  steps: number;
}

/** One story as it happens: instances, the world around them, and what is known of both. */
export class Simulation {
  readonly world: World;
  readonly stage: Stage;
  readonly model: Model;
  readonly feed = new Feed();
  readonly bank: Ledger;
  readonly observer: Observer;
  readonly counts = new Map<string, number>();
  stalls: Stall[] = [];
  /** Quotes that may be executed without anybody having heard of it: whoever did so is gone, and who was asked again could not say. */
  readonly unsure = new Set<string>();
  /** Idempotency keys that clients have made. */
  keys = 0;
  readonly #instances: Instance[] = [];
  readonly #databases: Databases;
  readonly #database: string;
  readonly #tokens = new Map<string, { readonly token: string; readonly until: number }>();
  readonly #digest: Hash = createHash('sha256');
  /** Is told what goes into the digest. */
  onTrace: ((line: string) => void) | undefined;
  #started = 0;

  private constructor(stage: Stage, databases: Databases, database: string, seed: number) {
    this.stage = stage;
    this.world = new World(BEGIN, new Random(seed));
    this.model = new Model(stage.customers);
    this.bank = new Ledger(new Random(seed + 1));
    this.#databases = databases;
    this.#database = database;
    this.observer = new Observer(databases.address(database));
    this.world.gate.look = (processIds) => this.observer.blockedAmong(processIds);
  }

  static async open(stage: Stage, databases: Databases, seed: number): Promise<Simulation> {
    const database = await databases.copy(stage.database);
    const simulation = new Simulation(stage, databases, database, seed);
    await simulation.observer.setClock(simulation.world.now);
    drawIdsAnew(new Machine('nobody', simulation.world));
    for (let i = 0; i < INSTANCES; i++) await simulation.startInstance(i);
    return simulation;
  }

  async close(): Promise<void> {
    for (const instance of this.#instances) instance.crash();
    await this.world.gate.quiet();
    this.world.spares.end();
    await this.observer.close();
    await this.#databases.drop(this.#database);
  }

  count(what: string, by = 1): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + by);
  }

  /** Goes into the digest by which two runs of one story are compared. */
  trace(text: string): void {
    const line = withoutNames(text);
    this.#digest.update(`${line}\n`);
    this.onTrace?.(line);
  }

  get digest(): string {
    return this.#digest.copy().digest('hex');
  }

  /** Those that can be asked: not those that stand still. */
  get instances(): readonly Instance[] {
    return this.#instances.filter((each) => !this.stalls.some(({ instance }) => instance === each));
  }

  /** Whether a quote may be executed although nobody was told so. */
  mayBeExecuted(quoteId: string): boolean {
    return this.unsure.has(quoteId) || this.stalls.some((each) => each.quoteId === quoteId);
  }

  pickInstance(random: Random): Instance {
    return random.pick(this.instances);
  }

  readonly #machines = () => this.instances.map(({ machine }) => machine);
  readonly #onTime = (now: number) => this.observer.setClock(now);

  /** Drives work to its end; who stands in its way goes on. */
  drive<T>(work: Promise<T>): Promise<T> {
    return drive(work, this.#machines, this.world, this.#onTime, async () => {
      if (this.stalls.length === 0) return false;
      this.count('stalls ended because somebody waited');
      await this.endStalls();
      return true;
    });
  }

  async endStalls(): Promise<void> {
    const stalls = this.stalls;
    this.stalls = [];
    for (const { goOn } of stalls) await goOn();
  }

  async startInstance(place: number): Promise<Instance> {
    const name = `instance-${place}-${++this.#started}`;
    const address = this.#databases.serviceAddress(this.#database);
    const instance = await this.drive(Instance.start(name, this.world, address));
    this.#instances[place] = instance;
    this.feed.notify(instance);
    return instance;
  }

  /** Kills the process of an instance, and starts another in its place. */
  async crash(instance: Instance): Promise<void> {
    const place = this.#instances.indexOf(instance);
    if (place < 0) return;
    await this.observer.awaitEnd(instance.crash());
    this.count('crashes');
    await this.startInstance(place);
  }

  /** Time goes on by so much, and what was set for then happens. */
  async pass(ms: number): Promise<void> {
    this.world.now += ms;
    await this.observer.setClock(this.world.now);
    for (const { machine } of this.instances) machine.fire();
    await this.world.gate.quiet();
  }

  /** Asks an instance, and says what came of it. {@link LOST} when it crashed. */
  async ask(instance: Instance, request: Request): Promise<Answer | typeof LOST> {
    const answer = await this.drive(instance.call(request));
    if (answer === LOST) return LOST;
    this.#requireNoFaults(instance);
    this.noteAnswer(request, answer);
    return answer;
  }

  noteAnswer({ method, path }: Request, { status, body, text }: Answer): void {
    if (status >= 400) this.count(`refused: ${body?.code ?? status}`);
    if (status === 500) throw new Violation('the service never fails', `${method} ${path}: ${text}`);
    if (path !== '/oauth/token') this.trace(`${method} ${path} ${status} ${text}`);
  }

  async token(who: Credentials, instance: Instance): Promise<string> {
    const token = await this.#tokenOrLost(who, instance);
    if (token === LOST) throw new Violation('who has a secret gets a token', `${who.clientId}: ${LOST}`);
    return token;
  }

  /** {@link LOST} when the instance crashed meanwhile. */
  async #tokenOrLost(
    { clientId, clientSecret, audience }: Credentials,
    instance: Instance,
  ): Promise<string | typeof LOST> {
    const known = this.#tokens.get(clientId);
    if (known !== undefined && this.world.now < known.until) return known.token;
    const answer = await this.ask(instance, {
      method: 'POST',
      path: '/oauth/token',
      body: { client_id: clientId, client_secret: clientSecret, audience, grant_type: 'client_credentials' },
    });
    if (answer === LOST) return LOST;
    if (answer.status !== 200)
      throw new Violation('who has a secret gets a token', `${clientId}: ${answer.text}`);
    // Renewed before it ends, as clients do; clocks of instances may be ahead.
    const until = this.world.now + 1_000 * (answer.body.expires_in - 300);
    this.#tokens.set(clientId, { token: answer.body.access_token, until });
    return answer.body.access_token;
  }

  async asCustomer(
    customer: ModelCustomer,
    instance: Instance,
    request: Request,
  ): Promise<Answer | typeof LOST> {
    return this.#withToken(customer.credentials, instance, request);
  }

  async asOperator(who: Operator, instance: Instance, request: Request): Promise<Answer | typeof LOST> {
    const { operators, bank } = this.stage;
    const headers = { 'firmquote-reason': 'as agreed', ...request.headers };
    return this.#withToken(who === 'bank' ? bank : operators[who], instance, { ...request, headers });
  }

  async #withToken(who: Credentials, instance: Instance, request: Request): Promise<Answer | typeof LOST> {
    for (let attempt = 0; ; attempt++) {
      const token = await this.#tokenOrLost(who, instance);
      if (token === LOST) return LOST;
      const answer = await this.ask(instance, { ...request, token });
      if (answer === LOST || attempt > 0 || answer.body?.code !== 'token_expired') return answer;
      this.#tokens.delete(who.clientId);
    }
  }

  /** An operator's order; a colleague approves what takes two. @returns undefined when it was refused, or lost in a crash */
  async order(instance: Instance, request: Request): Promise<Answer['body'] | undefined> {
    const answer = await this.asOperator('first', instance, request);
    if (answer === LOST || answer.status >= 300) return undefined;
    if (answer.status !== 202) return answer.body;
    const path = `/v1/operator/approvals/${answer.body.approvalId}/approve`;
    const approved = await this.asOperator('second', instance, { method: 'POST', path });
    if (approved === LOST || approved.status !== 200) return undefined;
    this.count('approved by a second person');
    return approved.body.result ?? {};
  }

  #requireNoFaults(instance: Instance): void {
    // A clock that is wrong is told of as a fault, which it is.
    const faults = instance.takeFaults().filter((line) => !line.includes('clock is off'));
    if (faults.length > 0 && !instance.machine.wire.isCut)
      throw new Violation('the service never fails', faults.join('\n').slice(0, 4_000));
  }
}

/**
 * What follows neither from the seed nor from the steps: keys are drawn by the process, and what is signed with them is different each
 * time; requests are counted by the process.
 */
const NAMES = /"(?:access_token|requestId|nextCursor)":"[^"]*"/g;

export function withoutNames(text: string): string {
  return text.replace(NAMES, '#');
}
