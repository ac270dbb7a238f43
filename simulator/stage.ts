import { createClient } from '../packages/service/src/authorization/create-client.ts';
import { createPool } from '../packages/service/src/database/pool.ts';
import { ensurePerson } from '../packages/service/src/people/ensure-person.ts';
import { Random } from '../soak/random.ts';
import { type Databases, Observer } from './database.ts';
import { type Answer, BASE_URL, drive, Instance, LOST, type Request } from './instance.ts';
import { drawIdsAnew, Machine, World } from './time.ts';

/** A Monday morning, when London is open. The house was set up three days before: new accounts are paid by now. */
export const BEGIN = Date.UTC(2026, 3, 13, 7);
const SET_UP_AT = BEGIN - 3 * 86_400_000;

export const CURRENCIES = ['USD', 'EUR', 'GBP', 'JPY'] as const;
export type Currency = (typeof CURRENCIES)[number];
/** Those that the house has a bank for in a story. */
export const BANKED = ['USD', 'EUR', 'GBP'] as const;

const ACCOUNTS: Readonly<Record<Currency, Readonly<Record<string, string>>>> = {
  EUR: { iban: 'DE89370400440532013000', bankCountry: 'DE' },
  USD: { accountNumber: '1234567890', routingNumber: '021000021', bankCountry: 'US' },
  JPY: { accountNumber: '1234567', bankCountry: 'JP' },
  GBP: { iban: 'GB29NWBK60161331926819', bankCountry: 'GB' },
};
export const HOUSE_ACCOUNTS: Readonly<
  Record<Currency, { readonly number: string; readonly isIban: boolean }>
> = {
  EUR: { number: 'DE02120300000000202051', isIban: true },
  GBP: { number: 'GB33BUKB20201555555555', isIban: true },
  USD: { number: '000777888999', isIban: false },
  JPY: { number: '7654321', isIban: false },
};

/** What a customer may. */
export type Character = 'plain' | 'careful' | 'tight' | 'prefunded';
const CHARACTERS: readonly Character[] = ['plain', 'careful', 'tight', 'prefunded'];
export const VALIDITIES = [10, 60, 300] as const;
/** Of the tight one, in US dollars. */
export const TIGHT_OPEN_QUOTES = 6;

export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly audience: string;
}

export interface StagedCustomer {
  readonly character: Character;
  readonly name: string;
  readonly customerId: string;
  readonly credentials: Credentials;
  readonly topUpReference: string | undefined;
}

/** A database in which a house is ready to trade, and who may act in it. Every story begins with a copy of it. */
export interface Stage {
  readonly database: string;
  readonly customers: readonly StagedCustomer[];
  readonly operators: { readonly first: Credentials; readonly second: Credentials };
  readonly bank: Credentials;
}

const UNLIMITED = { perMinute: 1_000_000 };
const RATES = {
  indicative: UNLIMITED,
  quotes: UNLIMITED,
  execute: UNLIMITED,
  reads: UNLIMITED,
  revalidation: UNLIMITED,
  all: UNLIMITED,
};

export function limitsOf(character: Character): object {
  const isTight = character === 'tight';
  return {
    currency: 'USD',
    dailyVolume: isTight ? '600000.00' : '900000000000.00',
    openPosition: isTight ? '900000.00' : '900000000000.00',
    singleTrade: isTight ? '200000.00' : '900000000.00',
    maxOpenQuotes: isTight ? TIGHT_OPEN_QUOTES : 100_000,
    rates: RATES,
  };
}

const CUSTOMER_AUDIENCE = BASE_URL;
const OPERATOR_AUDIENCE = `${BASE_URL}/operator`;

/** Calls for the house's two persons, one after the other, driven to their ends. */
class SetUp {
  readonly #instance: Instance;
  readonly #world: World;
  readonly #observer: Observer;
  tokens: readonly [string, string] = ['', ''];

  constructor(instance: Instance, world: World, observer: Observer) {
    this.#instance = instance;
    this.#world = world;
    this.#observer = observer;
  }

  async call(request: Request): Promise<Answer> {
    const machines = () => [this.#instance.machine];
    const set = (now: number) => this.#observer.setClock(now);
    const answer = await drive(this.#instance.call(request), machines, this.#world, set);
    if (answer === LOST) throw new Error('the set-up crashed');
    return answer;
  }

  async token({ clientId, clientSecret, audience }: Credentials): Promise<string> {
    const { status, body, text } = await this.call({
      method: 'POST',
      path: '/oauth/token',
      body: { client_id: clientId, client_secret: clientSecret, audience, grant_type: 'client_credentials' },
    });
    if (status !== 200) throw new Error(`no token: ${text}`);
    return body.access_token;
  }

  /** What two persons do: the one orders, the other approves where that is asked for. @returns what came of it */
  async both(method: Request['method'], path: string, body?: unknown, headers = {}): Promise<Answer['body']> {
    const [first, second] = this.tokens;
    const reason = { 'firmquote-reason': 'as agreed', ...headers };
    const answer = await this.call({ method, path, body, token: first, headers: reason });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    if (answer.status !== 202) return answer.body;
    const at = `/v1/operator/approvals/${answer.body.approvalId}/approve`;
    const approved = await this.call({ method: 'POST', path: at, token: second });
    if (approved.status !== 200) throw new Error(`${at}: ${approved.text}`);
    const { clientSecret } = answer.body;
    return { ...approved.body.result, ...(clientSecret === undefined ? {} : { clientSecret }) };
  }
}

/** Makes the database of a house: two persons, a program of the bank's, four customers, accounts and spreads. */
export async function setStage(databases: Databases): Promise<Stage> {
  const world = new World(SET_UP_AT, new Random(1));
  const database = await databases.make(world.now);
  const observer = new Observer(databases.address(database));
  world.gate.look = (processIds) => observer.blockedAmong(processIds);
  drawIdsAnew(new Machine('nobody', world));
  try {
    const machine = new Machine('command line', world);
    const operators = await machine.run(() => ordain(databases.serviceAddress(database), world));
    const starting = Instance.start('set-up', world, databases.serviceAddress(database));
    const machines: Machine[] = [];
    const instance = await drive(
      starting,
      () => machines,
      world,
      async () => undefined,
    );
    const house = new SetUp(instance, world, observer);
    house.tokens = [await house.token(operators.first), await house.token(operators.second)];
    await setHouse(house);
    const bank = await credentials(house, '/v1/operator/clients', OPERATOR_AUDIENCE, {
      name: 'bank',
      scopes: ['operator:statements'],
    });
    const customers: StagedCustomer[] = [];
    for (const character of CHARACTERS) customers.push(await setCustomer(house, character));
    await observer.awaitEnd([...instance.crash(), ...world.spares.end()]);
    return { database, customers, operators, bank };
  } finally {
    await observer.close();
  }
}

/** The first two persons and their programs, as the command line makes them. */
async function ordain(address: string, world: World): Promise<Stage['operators']> {
  const pool = createPool({ connection: address, max: 1, onError: () => undefined });
  const nobodyWaits = { onChange: () => undefined, onRolesChange: () => undefined };
  const clock = { now: () => world.now };
  const context = { pool, realClock: clock, isSandbox: false, ...nobodyWaits };
  const one = async (name: string): Promise<Credentials> => {
    const person = await ensurePerson(pool, { email: `${name}@house.example` }, world.now);
    const made = await createClient(context, { owner: { kind: 'operator' }, name, responsible: person.id });
    return { ...made, audience: OPERATOR_AUDIENCE };
  };
  try {
    await pool.query("insert into database_mode (mode) values ('production') on conflict do nothing");
    return { first: await one('first'), second: await one('second') };
  } finally {
    await pool.end();
  }
}

async function credentials(house: SetUp, path: string, audience: string, body: object): Promise<Credentials> {
  const { clientId, clientSecret } = await house.both('POST', path, body);
  if (typeof clientSecret !== 'string') throw new Error(`no secret of ${path}`);
  return { clientId, clientSecret, audience };
}

async function setHouse(house: SetUp): Promise<void> {
  for (const currency of CURRENCIES) {
    const { number, isIban } = HOUSE_ACCOUNTS[currency];
    await house.both('PUT', `/v1/operator/collection-accounts/${currency}`, {
      accountHolder: 'Simulated House Ltd',
      ...(isIban ? { iban: number } : { accountNumber: number }),
    });
  }
  const rules = [{ spreadBps: '20' }, { pair: 'GBPUSD', spreadBps: '12.5' }];
  await house.both('PUT', '/v1/operator/spread-rules', { rules }, { 'if-match': '*' });
}

async function setCustomer(house: SetUp, character: Character): Promise<StagedCustomer> {
  const name = `${character[0]?.toUpperCase()}${character.slice(1)} Ltd`;
  const settings = {
    permittedValidities: [...VALIDITIES],
    ...(character === 'careful' ? { requireStatusCheck: true, amountRounding: 'house' } : {}),
    ...(character === 'prefunded' ? { fundingMode: 'pre_funded' } : {}),
  };
  const { customerId } = await house.both('POST', '/v1/operator/customers', { name, settings });
  const path = `/v1/operator/customers/${customerId}`;
  await house.both('PUT', `${path}/limits`, limitsOf(character));
  for (const currency of CURRENCIES)
    await house.both('POST', `${path}/settlement-instructions`, {
      currency,
      accountHolder: name,
      ...ACCOUNTS[currency],
    });
  const own = await credentials(house, `${path}/credentials`, CUSTOMER_AUDIENCE, { name: 'desk' });
  const balances = await house.both('GET', `${path}/balances`);
  return { character, name, customerId, credentials: own, topUpReference: balances.topUpReference };
}
