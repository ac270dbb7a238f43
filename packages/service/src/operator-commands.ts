import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { KEY_PURPOSES } from '@firmquote/api/operations/keys';
import { findPair } from '@firmquote/fx';
import { Addresses } from './addresses.ts';
import { verifyArchive } from './archive-verify.ts';
import { archiveYear } from './archive-year.ts';
import { logText, proveFile, proveLogs } from './audit/log-commands.ts';
import {
  answerForClient,
  resumeClient,
  revokeClient,
  revokeTokens,
  setIpAllowList,
  suspendClient,
} from './authorization/client-access.ts';
import { clientNotFound } from './authorization/client-context.ts';
import { setKeys } from './authorization/client-keys.ts';
import { addSecret, replaceSecrets } from './authorization/client-secrets.ts';
import { viewClient } from './authorization/client-view.ts';
import { createClient, type NewClient } from './authorization/create-client.ts';
import type { AuthorizationRoom } from './authorization/room.ts';
import { type ClientDetail, type ClientReference, readClients } from './authorization/store.ts';
import { updateClient } from './authorization/update-client.ts';
import type { Config } from './config.ts';
import { type Act, acting, actingNow, recordAct } from './database/acting.ts';
import { enclose } from './database/enclosure.ts';
import { type Connection, inTransaction, type Pool } from './database/pool.ts';
import { reasonOf } from './database/unusable.ts';
import { listKeys, revokeKey, rotateKey } from './keys/replace-keys.ts';
import { rewrap } from './keys/rewrap.ts';
import { createKeys } from './keys/room.ts';
import { exportJournal } from './ledger/export-journal.ts';
import { acceptablePrice, acceptedView, writeAcceptedPrice } from './market/accept-price.ts';
import { resetSequenceFile } from './market/fix/reset-sequence-file.ts';
import type { MarketCommand } from './market/halt-market.ts';
import { recordSequenceReset } from './market/switch-source.ts';
import {
  clientChangeOf,
  emailOfOption,
  hoursOf,
  keysOf,
  lineOf,
  listOf,
  nameOf,
  type Option,
  parse,
  readableOf,
  referenceOf,
  sequenceOf,
  sessionOf,
  type Values,
} from './operator-options.ts';
import { ensurePerson } from './people/ensure-person.ts';
import { inviteFirst } from './people/invite-person.ts';
import { personView } from './people/view.ts';
import { isoInstant, systemClock } from './platform/clock.ts';
import { UsageError } from './platform/command-line.ts';
import { typeId, uuidIn } from './platform/ids.ts';
import { createLogger } from './platform/logger.ts';
import { SEALED_PLACES } from './sealed-places.ts';
import { writeWholeFile } from './whole-file.ts';
import { withDatabase } from './with-database.ts';

const HOUR_MS = 3_600_000;
type Command = (config: Config) => Promise<unknown>;

/** What `export` writes: the books for hledger, or a sealed log. */
const EXPORTS = ['hledger', 'audit', 'journal'] as const;

/** What each command may be told, and how it is made of that: a wrong value is said before the database is opened. */
const COMMANDS: Readonly<
  Record<string, { readonly takes: readonly Option[]; make(values: Values): Command }>
> = {
  'create-client': {
    takes: ['name', 'responsible', 'scopes', 'roles', 'expires', 'addresses'],
    make(values) {
      const given = {
        ...clientChangeOf(values),
        name: nameOf(values),
        ipAllowList: listOf(values, 'addresses'),
      };
      const email = values.responsible === undefined ? undefined : emailOfOption(values);
      return (config) => printed(config, (context) => createOperator(config, context, given, email), BEGINS);
    },
  },
  'update-client': {
    takes: ['client', 'name', 'scopes', 'roles', 'expires', 'addresses', 'keys'],
    make(values) {
      const reference = referenceOf(values);
      const change = {
        ...clientChangeOf(values),
        ...(values.name !== undefined && { name: nameOf(values) }),
      };
      const addresses = listOf(values, 'addresses');
      const keys = keysOf(values);
      return (config) =>
        printed(config, async (context) => {
          await inOneCommit(context.pool, async () => {
            await updateClient(context, reference, change);
            if (addresses !== undefined) await setIpAllowList(context, reference, addresses);
            if (keys !== undefined) await setKeys(context, reference, keys);
          });
          return readOne(config, context, reference);
        });
    },
  },
  'revoke-tokens': changing((context, reference) => revokeTokens(context, reference)),
  'list-clients': { takes: [], make: () => (config) => printed(config, (context) => list(config, context)) },
  'answer-for-client': {
    takes: ['client', 'responsible'],
    make(values) {
      const reference = referenceOf(values);
      const email = emailOfOption(values);
      return (config) =>
        printed(config, async (context) => {
          await inOneCommit(context.pool, async (connection) => {
            const { id } = await ensurePerson(connection, { email }, context.realClock.now());
            await answerForClient(context, reference, id);
          });
          return readOne(config, context, reference);
        });
    },
  },
  'invite-person': {
    takes: ['email', 'name', 'roles'],
    make(values) {
      const email = emailOfOption(values, 'email');
      const name = values.name === undefined ? undefined : nameOf(values);
      const roles = listOf(values, 'roles') ?? [];
      return (config) => {
        const invite = async ({ pool, realClock, isSandbox }: AuthorizationRoom) => {
          const passkeys = config.passkeys ? new Addresses(config).passkeys : undefined;
          const { invitationMs } = config.sessions;
          const room = { pool, realClock, isSandbox: isSandbox === true, passkeys, invitationMs };
          const { person, link } = await inviteFirst(room, { email, name, roles });
          return { ...personView(person), ...(link !== undefined && { invitationLink: link }) };
        };
        return printed(config, invite, BEGINS);
      };
    },
  },
  'suspend-client': changing((context, reference) => suspendClient(context, reference)),
  'resume-client': changing((context, reference) => resumeClient(context, reference)),
  'revoke-client': {
    takes: ['client'],
    make(values) {
      const reference = referenceOf(values);
      return (config) =>
        printed(config, async (context) => {
          await revokeClient(context, reference);
          return { clientId: typeId('cli', reference.id), status: 'revoked' };
        });
    },
  },
  'rotate-secret': {
    takes: ['client', 'revoke-tokens', 'keep-old-for'],
    make(values) {
      const reference = referenceOf(values);
      const keptHours = hoursOf(values);
      const revokesTokens = values['revoke-tokens'] === true;
      return (config) =>
        printed(
          config,
          (context) => rotate(config, context, reference, keptHours),
          false,
          (context) => (revokesTokens ? revokeTokensToo(context, reference) : undefined),
        );
    },
  },
  'accept-price': {
    takes: ['pair', 'price', 'reason', 'client'],
    make(values) {
      const pair = findPair(String(values.pair ?? ''));
      if (pair === undefined) throw new UsageError('--pair must be a pair in market order, such as EURUSD.');
      const price = acceptablePrice(String(values.price ?? ''));
      if (price === undefined) throw new UsageError('--price must be a decimal number above zero.');
      const reason = lineOf(values, 'reason');
      const reference = referenceOf(values);
      return (config) =>
        printed(config, async ({ pool, realClock }) => {
          const command = await commandOf(pool, reference, reason);
          return acceptedView(await writeAcceptedPrice(pool, pair, price, command, realClock.now()));
        });
    },
  },
  'reset-fix-sequence': {
    takes: ['session', 'next-sent', 'next-received', 'stopped', 'reason', 'client'],
    make(values) {
      const session = sessionOf(values);
      const numbers = {
        nextSent: sequenceOf(values, 'next-sent'),
        nextReceived: sequenceOf(values, 'next-received'),
      };
      const isStopped = values.stopped === true;
      const reason = lineOf(values, 'reason');
      const reference = referenceOf(values);
      return (config) =>
        printed(config, async ({ pool, realClock }) => {
          const command = await commandOf(pool, reference, reason);
          const set = () => resetSequenceFile(config.dataDir, session, numbers, isStopped);
          const resetAt = realClock.now();
          const file = await recordSequenceReset(pool, `fix:${session}`, numbers, command, resetAt, set);
          return { session, ...numbers, reason, resetAt: isoInstant(resetAt), file };
        });
    },
  },
  'list-keys': {
    takes: [],
    make: () => (config) =>
      printed(config, async ({ pool }) => ({ keys: await listKeys(pool, config.rotationDays) })),
  },
  'rotate-key': {
    takes: ['purpose', 'reason'],
    make(values) {
      const purpose = KEY_PURPOSES.find((name) => name === values.purpose);
      if (purpose === undefined) throw new UsageError(`--purpose must be one of ${KEY_PURPOSES.join(', ')}.`);
      const reason = lineOf(values, 'reason');
      return (config) => printed(config, ({ pool }) => rotateKey(serviceKeys(config, pool), purpose, reason));
    },
  },
  'revoke-key': {
    takes: ['key', 'reason'],
    make(values) {
      const kid = String(values.key ?? '');
      if (!/^[\w-]{43}$/.test(kid))
        throw new UsageError('--key must be the kid of a key, as shown by list-keys.');
      const reason = lineOf(values, 'reason');
      return (config) => printed(config, ({ pool }) => revokeKey(serviceKeys(config, pool), kid, reason));
    },
  },
  'rewrap-keys': {
    takes: [],
    make: () => (config) =>
      printed(config, ({ pool, realClock }) =>
        rewrap(serviceKeys(config, pool).sealing, realClock.now(), (remaining) =>
          process.stderr.write(`${remaining} left to encrypt under the new key\n`),
        ),
      ),
  },
  export: {
    takes: ['format', 'output'],
    make({ format, output }) {
      const written = EXPORTS.find((name) => name === format);
      if (written === undefined) throw new UsageError(`--format must be one of ${EXPORTS.join(', ')}.`);
      if (output === '') throw new UsageError('--output must be a file.');
      return (config) => writeExport(config, written, output === undefined ? undefined : String(output));
    },
  },
  'archive-year': {
    takes: ['year', 'output'],
    make({ year, output }) {
      if (!/^20\d{2}$/.test(String(year ?? ''))) throw new UsageError('--year must be a year such as 2025.');
      if (output === undefined || output === '') throw new UsageError('--output must be a folder.');
      return (config) => writeArchive(config, Number(year), resolve(String(output)));
    },
  },
  'verify-archive': {
    takes: ['file', 'keys'],
    make(values) {
      const folder = readableOf(values, 'folder');
      const keys = keysOf(values);
      return async () => reportedProof(await verifyArchive(folder, keys));
    },
  },
  verify: {
    takes: ['file', 'keys'],
    make(values) {
      if (values.file === undefined) {
        if (values.keys !== undefined) throw new UsageError('--keys needs --file.');
        return (config) =>
          onDatabase(config, (pool) => proveLogs(pool, systemClock)).then(reportedProof, notProved);
      }
      const file = readableOf(values, 'file');
      const keys = keysOf(values);
      return async () => reportedProof(await proveFile(file, keys));
    },
  },
};

function changing(change: (context: AuthorizationRoom, reference: ClientReference) => Promise<void>) {
  return {
    takes: ['client'] as const,
    make(values: Values): Command {
      const reference = referenceOf(values);
      return (config) =>
        printed(config, async (context) => {
          await change(context, reference);
          return readOne(config, context, reference);
        });
    },
  };
}

/**
 * What a command line asks for.
 * @returns undefined when the text was asked for
 * @throws UsageError
 */
export function readArguments(args: string[]): Command | undefined {
  const { values, positionals } = parse(args);
  const { help, ...options } = values;
  if (help) return undefined;
  const [name = '', ...more] = positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (more.length > 0 || command === undefined) {
    throw new UsageError(`Name one command: ${Object.keys(COMMANDS).join(', ')}.`);
  }
  const foreign = (Object.keys(options) as Option[]).find((option) => !command.takes.includes(option));
  if (foreign !== undefined) throw new UsageError(`${name} has no --${foreign}.`);
  const done = command.make(options);
  return (config) => acting(commandAct(name, options.client), () => done(config));
}

/** By whom a command is given, nobody knows here but by the user of this machine. */
function commandAct(name: string, client: string | undefined): Act {
  const id = uuidIn(client ?? '');
  return {
    kind: 'change',
    operation: `command:${name}`,
    resource: client ?? '',
    subjects: id === undefined ? [] : [id],
    outcome: 'done',
    actor: 'command',
    address: `user ${machineUser()}`,
  };
}

/** By its number where it has no name, as on platforms that give a container any user. */
function machineUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}

/** What is done in an operator's name, who must exist. */
async function commandOf(pool: Pool, reference: ClientReference, reason: string): Promise<MarketCommand> {
  const [client] = await readClients(pool, reference, systemClock.now());
  if (client === undefined) throw clientNotFound();
  return { actor: reference.id, reason };
}

const INSTEAD = 'use the operator API: /v1/operator/clients, GET /v1/operator/ledger/export';

const onDatabase = <T>(config: Config, work: (pool: Pool) => Promise<T>, begins = false): Promise<T> =>
  withDatabase(config, { instead: INSTEAD, begins, work });

/** A new installation gets its first people and clients before the service runs. */
const BEGINS = true;

/** Runs a use case of clients and prints what it returns as a line of JSON. */
function printed(
  config: Config,
  work: (context: AuthorizationRoom) => Promise<unknown>,
  begins = false,
  /** What is left to do once the result cannot be lost any more, such as a secret that is shown this once. */
  then?: (context: AuthorizationRoom) => Promise<void> | undefined,
): Promise<void> {
  const print = async (pool: Pool) => {
    const isSandbox = config.mode === 'sandbox';
    const nobodyWaits = { onChange: () => undefined, onRolesChange: () => undefined };
    const context = { pool, realClock: systemClock, isSandbox, ...nobodyWaits };
    process.stdout.write(`${JSON.stringify(await work(context))}\n`);
    await then?.(context);
  };
  return onDatabase(config, print, begins);
}

/** Several use cases of one command: all of them are done, or none is. */
async function inOneCommit<T>(pool: Pool, work: (connection: Connection) => Promise<T>): Promise<T> {
  const { result, committed } = await inTransaction(pool, (connection) =>
    enclose(connection, () => work(connection)),
  );
  await committed();
  return result;
}

function serviceKeys({ keyEncryption: encryption, rotationDays }: Config, pool: Pool) {
  const logger = createLogger('warn', { write: (line) => process.stderr.write(line) });
  const places = SEALED_PLACES;
  return createKeys({ ...{ pool, realClock: systemClock, logger }, encryption, rotationDays, places });
}

/** What an operator needs to get a token, in the names of `sandbox.json`. */
function access(config: Config, clientId: string, clientSecret: string) {
  const addresses = new Addresses(config);
  return { clientId, clientSecret, authUrl: addresses.auth(), audience: addresses.operatorAudience() };
}

async function createOperator(
  config: Config,
  context: AuthorizationRoom,
  given: Omit<NewClient, 'owner' | 'responsible'>,
  email: string | undefined,
) {
  const { clientId, clientSecret } = await inOneCommit(context.pool, async (connection) => {
    const now = context.realClock.now();
    const person = email === undefined ? undefined : await ensurePerson(connection, { email }, now);
    return createClient(context, { ...given, owner: { kind: 'operator' }, responsible: person?.id });
  });
  return access(config, clientId, clientSecret);
}

async function list(config: Config, { pool, realClock }: AuthorizationRoom) {
  const clients = await readClients(pool, { customerId: undefined }, realClock.now());
  return { clients: clients.map((client) => viewOf(config, client)) };
}

async function readOne(config: Config, { pool, realClock }: AuthorizationRoom, reference: ClientReference) {
  const [client] = await readClients(pool, reference, realClock.now());
  if (client === undefined) throw clientNotFound();
  return viewOf(config, client);
}

function viewOf(config: Config, client: ClientDetail) {
  return viewClient(client, () => new Addresses(config).operatorAudience());
}

async function rotate(
  config: Config,
  context: AuthorizationRoom,
  reference: ClientReference,
  keptHours: number | undefined,
) {
  const secret =
    keptHours === undefined
      ? await replaceSecrets(context, reference)
      : await addSecret(context, reference, undefined, context.realClock.now() + keptHours * HOUR_MS);
  return access(config, typeId('cli', reference.id), secret.clientSecret);
}

/** After the commit of the secret, and so of later instants: in one with it, tokens that the old secret got meanwhile would stay. */
async function revokeTokensToo(context: AuthorizationRoom, reference: ClientReference): Promise<void> {
  try {
    await revokeTokens(context, reference);
  } catch (cause) {
    const again = `revoke-tokens --client ${typeId('cli', reference.id)}`;
    throw new Error(`The new secret is in force, but the tokens are not revoked. Run ${again}.`, { cause });
  }
}

/** A file that is there already is left alone, and a new one is for its owner only: it holds the books. */
function writeExport(
  config: Config,
  format: (typeof EXPORTS)[number],
  output: string | undefined,
): Promise<void> {
  return onDatabase(config, async (pool) => {
    const read = actingNow()?.act;
    if (read !== undefined) await recordAct(pool, { ...read, kind: 'read' }, {});
    const { evidence } = serviceKeys(config, pool);
    const { pieces, record } =
      format === 'hledger'
        ? { pieces: exportJournal(pool, systemClock.now()), record: undefined }
        : logText(pool, format, systemClock, () => evidence.signer());
    if (output === undefined)
      await pipeline(Readable.from(pieces, { objectMode: false }), process.stdout, { end: false });
    else await writeWholeFile(output, pieces);
    await record?.();
  });
}

function writeArchive(config: Config, year: number, folder: string): Promise<void> {
  return onDatabase(config, async (pool) => {
    const read = actingNow()?.act;
    if (read !== undefined) await recordAct(pool, { ...read, kind: 'read', resource: String(year) }, {});
    const { evidence } = serviceKeys(config, pool);
    const room = { pool, clock: systemClock, signer: () => evidence.signer() };
    const { files, ...manifest } = await archiveYear(room, {
      year,
      folder,
      isSandbox: config.mode === 'sandbox',
    });
    process.stdout.write(`${JSON.stringify({ folder, ...manifest, files: files.length })}\n`);
  });
}

/** What could not be read is neither right nor wrong; 1 would say that it is wrong. */
export class NotProvedError extends Error {
  override readonly name = 'NotProvedError';
}

function notProved(error: unknown): never {
  throw new NotProvedError(reasonOf(error), { cause: error });
}

/** A line of JSON, and an exit code that tells a script. */
function reportedProof(proof: { readonly ok: boolean }): void {
  process.stdout.write(`${JSON.stringify(proof)}\n`);
  if (!proof.ok) process.exitCode = 1;
}
