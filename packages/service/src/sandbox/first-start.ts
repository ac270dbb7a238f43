import { fakeAccount, SANDBOX_CURRENCIES } from '@firmquote/sandbox-bank';
import { collectionAccountOf, setCollectionAccounts } from '../customers/collection-accounts.ts';
import { createCustomer } from '../customers/create-customer.ts';
import type { CustomersRoom } from '../customers/room.ts';
import { type LimitsInput, setLimits } from '../customers/set-limits.ts';
import { addSettlementInstructions, instructionOf } from '../customers/settlement-instructions.ts';
import type { Connection, Pool } from '../database/pool.ts';
import { ensurePerson } from '../people/ensure-person.ts';
import { READY_PERSONS } from '../people/ready-persons.ts';
import type { Clock } from '../platform/clock.ts';
import { type SpreadRulesRoom, setSpreadRules } from '../pricing/set-spread-rules.ts';
import { Problem } from '../problems/problem.ts';
import { SANDBOX_REMITTER } from './bank/transaction-movements.ts';
import {
  closeToOthers,
  readSandboxFile,
  type SandboxCredential,
  type SandboxFile,
  writeSandboxFile,
} from './credentials-file.ts';
import {
  deleteSandboxClient,
  insertSandboxClient,
  isSandboxClient,
  lockFirstStart,
  olderClients,
  readSeeding,
  unlockFirstStart,
  writeFirstCustomer,
  writeSeeded,
} from './first-start-store.ts';
import { enableSandboxBank } from './store.ts';

export type SandboxClientOwner =
  | { readonly kind: 'customer'; readonly customerId: string }
  | { readonly kind: 'operator' };

export interface SandboxStart {
  readonly pool: Pool;
  /** Real time: clients do not follow the sandbox's clock. */
  readonly realClock: Clock;
  readonly customers: CustomersRoom;
  readonly pricing: SpreadRulesRoom;
  /** Makes an OAuth client with every scope of its kind. `clientId` is `cli_…`. */
  readonly createClient: (owner: SandboxClientOwner, name: string) => Promise<SandboxCredential>;
  /** Says which person answers for one. */
  readonly answerFor: (clientId: string, personId: string) => Promise<void>;
  /** Ends one that this made earlier and whose secret is lost. */
  readonly revokeClient: (owner: SandboxClientOwner, clientId: string) => Promise<void>;
  /** Answers when the service serves: who finds `sandbox.json` can use it. */
  readonly ready: () => Promise<void>;
  /** Path of `sandbox.json`. */
  readonly file: string;
  readonly addresses: Pick<SandboxFile, 'baseUrl' | 'authUrl' | 'audience'>;
}

/** Clients that are kept when the file is lost again and again, or several instances have one each: of ten files. */
const CLIENTS_MAX = { customer: 10, operator: 20 } as const;
const SPREAD_BPS = '20.00';
const UNLIMITED = { perMinute: 600_000 };
const LIMITS: LimitsInput = {
  dailyVolume: '1000000000000.00',
  openPosition: '1000000000000.00',
  singleTrade: '100000000000.00',
  maxOpenQuotes: 1_000_000,
  rates: {
    indicative: UNLIMITED,
    quotes: UNLIMITED,
    execute: UNLIMITED,
    reads: UNLIMITED,
    revalidation: UNLIMITED,
    all: UNLIMITED,
  },
};

/**
 * Makes the sandbox ready to trade: a customer with 20 bps on every pair, accounts for every currency, an OAuth client
 * of the customer and two of operators in `sandbox.json`, and a bank that watches the trades. What is there already
 * stays as it is; a lost file is written anew with new secrets, and a changed address is brought up to date.
 */
export async function ensureSandbox(start: SandboxStart): Promise<SandboxFile> {
  const lock = await start.pool.connect();
  try {
    await lockFirstStart(lock);
    await enableSandboxBank(lock);
    const customerId = await ensureCustomer(start, lock);
    return await ensureFile(start, lock, customerId);
  } finally {
    await unlockFirstStart(lock).catch(() => undefined);
    // What it may still have, its settings and the lock, goes with it.
    lock.release(true);
  }
}

async function ensureCustomer({ customers, pricing }: SandboxStart, lock: Connection): Promise<string> {
  const settings = await readSeeding(lock);
  if (settings?.seeded && settings.customer_id !== null) return settings.customer_id;
  const customerId =
    settings?.customer_id ??
    (
      await createCustomer(customers, { name: 'Sandbox customer' }, (connection, customer) =>
        writeFirstCustomer(connection, customer.id),
      )
    ).id;
  // Each step can be done again, so a start that was interrupted is simply continued.
  await setLimits(customers, customerId, LIMITS);
  await ensureSpread(pricing);
  const now = customers.clock.now();
  await setCollectionAccounts(
    customers,
    SANDBOX_CURRENCIES.map((currency) => {
      const { bankName, bic, iban, accountNumber, routingNumber, rails } = fakeAccount(
        currency,
        '9876543210',
      );
      const accountHolder = 'Firmquote Sandbox Client Money';
      const input = { accountHolder, bankName, bic, iban, accountNumber, routingNumber, rails };
      return collectionAccountOf(currency, input, now);
    }),
  );
  await addSettlementInstructions(
    customers,
    customerId,
    SANDBOX_CURRENCIES.map((currency) => {
      const own = fakeAccount(currency, '1234567890');
      const { bankName, bankCountry, bic, iban, accountNumber, routingNumber } = own;
      const account = { bankName, bankCountry, bic, iban, accountNumber, routingNumber };
      return instructionOf(customerId, { currency, accountHolder: SANDBOX_REMITTER, ...account }, now);
    }),
  );
  await writeSeeded(lock);
  return customerId;
}

/** One rule for everybody and every pair, unless somebody has set rules before. */
async function ensureSpread(pricing: SpreadRulesRoom): Promise<void> {
  try {
    await setSpreadRules(pricing, [{ spreadBps: SPREAD_BPS }], 1);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'version_mismatch') throw error;
  }
}

async function ensureFile(start: SandboxStart, lock: Connection, customerId: string): Promise<SandboxFile> {
  const known = await readSandboxFile(start.file);
  const owner = { kind: 'customer', customerId } as const;
  const customer =
    (await ifStillKnown(lock, known?.customer)) ??
    (await issueClient(start, lock, owner, 'Sandbox customer'));
  const operator =
    (await ifStillKnown(lock, known?.operator)) ??
    (await issueClient(start, lock, { kind: 'operator' }, 'Sandbox operator'));
  const [, operations, approver] = await ensurePersons(start, lock);
  const secondOperator =
    (await ifStillKnown(lock, known?.secondOperator)) ??
    (await issueClient(start, lock, { kind: 'operator' }, 'Second sandbox operator'));
  await start.answerFor(operator.clientId, operations);
  await start.answerFor(secondOperator.clientId, approver);
  const content: SandboxFile = { ...start.addresses, customer, operator, secondOperator };
  await start.ready();
  if (JSON.stringify(content) === JSON.stringify(known)) await closeToOthers(start.file);
  else await writeSandboxFile(start.file, content);
  return content;
}

/** The operators' clients have one of them each. */
async function ensurePersons(
  { realClock }: SandboxStart,
  lock: Connection,
): Promise<readonly [string, string, string]> {
  const ensured = async (person: (typeof READY_PERSONS)[number]) =>
    (await ensurePerson(lock, person, realClock.now())).id;
  const [dealer, operations, approver] = READY_PERSONS;
  return [await ensured(dealer), await ensured(operations), await ensured(approver)];
}

/** A file that was left over from another database names clients that this one does not have. */
async function ifStillKnown(
  lock: Connection,
  credential: SandboxCredential | undefined,
): Promise<SandboxCredential | undefined> {
  if (credential === undefined) return undefined;
  return (await isSandboxClient(lock, credential.clientId)) ? credential : undefined;
}

async function issueClient(
  start: SandboxStart,
  lock: Connection,
  owner: SandboxClientOwner,
  name: string,
): Promise<SandboxCredential> {
  for (const clientId of await olderClients(lock, owner.kind, CLIENTS_MAX[owner.kind] - 1)) {
    await start.revokeClient(owner, clientId);
    await deleteSandboxClient(lock, clientId);
  }
  const credential = await start.createClient(owner, name);
  await insertSandboxClient(lock, credential.clientId, owner.kind, start.realClock.now());
  return { clientId: credential.clientId, clientSecret: credential.clientSecret };
}
