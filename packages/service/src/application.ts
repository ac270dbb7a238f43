import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { Addresses, addressOf } from './addresses.ts';
import { composeServer } from './api.ts';
import { folderSweeps } from './bank-statements/folder.ts';
import { type Core, composeCore, composeSandbox, coreSweeps } from './composition.ts';
import { type Config, ConfigError, type ListenAddress } from './config.ts';
import { requireDataFolder } from './data-folder.ts';
import { actingAsSweep } from './database/acting.ts';
import { logFailure } from './database/log-failure.ts';
import { requireMode } from './database/mode.ts';
import { type Database, openDatabase } from './database/open.ts';
import { diskSweep } from './operations/disk-watch.ts';
import { untilReady } from './operations/health.ts';
import { VirtualClock } from './platform/clock.ts';
import type { Logger } from './platform/logger.ts';
import { type Sweep, SweepRunner } from './platform/sweeps.ts';
import type { SandboxChange } from './sandbox/controls.ts';
import type { SandboxFile } from './sandbox/credentials-file.ts';
import type { Sandbox } from './sandbox/room.ts';
import { SettingsFollower } from './settings/follower.ts';

export interface Application {
  /** Where it listens on this machine, without a slash at the end. */
  readonly localUrl: string;
  /** Public address of the API, without a slash at the end. */
  readonly baseUrl: string;
  /** Where operators are served, when that is apart. */
  readonly operatorUrl: string | undefined;
  /** Why nobody can sign in yet, and what helps. */
  readonly noSignIn: string | undefined;
  /** What a newcomer needs to trade; undefined in production. */
  readonly sandbox:
    | { readonly file: string; readonly content: SandboxFile; readonly changes: readonly SandboxChange[] }
    | undefined;
  /** Rejects if the embedded database ends by itself. */
  readonly lost: Promise<never>;
  /**
   * Compiles, beside the requests, what the first request of each route would have to wait for, and makes the documentation.
   * @param pause taken after each schema
   * @throws when a schema of a route is wrong
   */
  warmUp(pause: () => Promise<void>): Promise<void>;
  /** What a stop is at, for whoever wonders why it takes so long. */
  stopsAt(): string | undefined;
  /** Stops taking requests, lets those under way finish, and closes everything. */
  stop(): Promise<void>;
}

/** Starts the whole service on the given settings. */
export async function startApplication(config: Config, logger: Logger): Promise<Application> {
  requireDataFolder(config);
  const database = await openDatabase(config, logger);
  try {
    await requireMode(database.pool, config.mode);
    return await startOn(database, config, logger);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** One instance of the service over a database, before anything of it runs. */
export interface Instance {
  readonly core: Core;
  readonly sandbox: Sandbox | undefined;
  readonly addresses: Addresses;
  readonly follower: SettingsFollower;
  /** What time brings, and what runs it. */
  readonly work: readonly Sweep[];
  readonly sweeps: SweepRunner;
  readonly app: FastifyInstance;
}

/** The order here is the order in which things need each other. */
export async function composeInstance(
  database: Pick<Database, 'pool' | 'dataFolder'>,
  config: Config,
  logger: Logger,
): Promise<Instance> {
  const addresses = new Addresses(config);
  const core = await composeCore(database.pool, config, logger, addresses);
  const sandbox =
    core.clock instanceof VirtualClock ? composeSandbox(core, core.clock, config, logger) : undefined;
  await sandbox?.controls.load();
  const follower = new SettingsFollower(core.pool, [...core.topics, ...(sandbox?.topics ?? [])]);
  const work = [
    follower.sweep,
    ...coreSweeps(core, sandbox),
    ...diskSweeps(database, core, config),
    ...(await folderSweeps(core, config.statementFolder, logger)),
    ...(sandbox?.sweeps ?? []),
  ].map(actingAsSweep);
  const sweeps = runnerOf(work, core, logger);
  const app = await composeServer(core, config, logger, addresses, (routes) => {
    sandbox?.routes(routes, sweeps);
  });
  return { core, sandbox, addresses, follower, work, sweeps, app };
}

function runnerOf(work: readonly Sweep[], core: Core, logger: Logger): SweepRunner {
  return new SweepRunner(
    work,
    logger,
    // What is due is left to instances that know what time it is.
    {
      rests: () => !core.clockWatch.isRight(),
      logFailure,
      onRun: (name, moved, seconds) => {
        core.metrics.desk.sweepRan(name, moved, seconds);
        core.webhooks.troubles.sweepRan(name);
      },
      onFailure: (name) => {
        core.metrics.desk.sweepFailed(name);
        core.webhooks.troubles.sweepFailed(name);
      },
    },
  );
}

async function startOn(database: Database, config: Config, logger: Logger): Promise<Application> {
  const instance = await composeInstance(database, config, logger);
  const { core, sandbox, addresses, follower, sweeps, app } = instance;
  await core.clockWatch.start();
  await core.keys.start();
  core.authorization.start();
  await follower.look();
  await core.market.start();
  const port = await listen(app, config);
  addresses.listening(port);
  const operatorUrl = await listenInside(app, config);
  const serve = () => {
    sweeps.start();
    core.startAccepting();
  };
  const file = await sandbox?.ensure(addresses, () => {
    serve();
    return untilReady(core.health);
  });
  if (sandbox === undefined) serve();
  let stopsAt: string | undefined;
  return {
    localUrl: addresses.local(),
    baseUrl: addresses.base(),
    operatorUrl,
    noSignIn: await whyNobodySignsIn(core, config, addresses),
    sandbox: sandbox && file && { file: sandbox.file, content: file, changes: sandbox.controls.changes() },
    lost: database.lost,
    async warmUp(pause) {
      await app.compileSchemas(pause);
      // Whoever asks for it is told of a failure.
      await app.prepareDocumentation?.().catch(() => undefined);
    },
    stopsAt: () => stopsAt,
    async stop() {
      core.stopAccepting();
      core.polls.close();
      for (const [name, step] of stepsOfStop(instance, database, logger)) {
        stopsAt = name;
        await step();
      }
    },
  };
}

/** Who may still need what is after it goes first. */
function stepsOfStop(
  { core, app, sweeps }: Instance,
  database: Database,
  logger: Logger,
): readonly (readonly [name: string, step: () => unknown])[] {
  return [
    ['streams', () => core.streams.close()],
    ['requests', () => app.close()],
    ['sweeps', () => sweeps.stop()],
    ['webhooks', () => core.webhooks.dispatcher.stop()],
    [
      'audit trail',
      () =>
        core.audit.notes
          .write(true)
          .catch((error: unknown) =>
            logFailure(logger, error, {}, 'the last of the audit trail is not written'),
          ),
    ],
    ['market', () => core.market.stop()],
    ['clock', () => core.clockWatch.stop()],
    ['authorization', () => core.authorization.stop()],
    ['keys', () => core.keys.stop()],
    ['database', () => database.close()],
  ];
}

/** A sandbox has its ready persons, and a provider knows its own. */
async function whyNobodySignsIn(
  { people }: Core,
  { mode, provider, passkeys }: Config,
  addresses: Addresses,
): Promise<string | undefined> {
  if (mode === 'sandbox' || provider !== undefined) return undefined;
  if (!passkeys) return 'there is neither a provider nor are there passkeys';
  if (addresses.passkeys() === undefined)
    return 'passkeys need a FIRMQUOTE_OPERATOR_URL with a name, and https';
  if (!(await people.hasNobody())) return undefined;
  return 'npm run operator -- invite-person --email <address> --roles administrator';
}

/** The disk of a database that is somebody else's is theirs to watch. */
function diskSweeps(
  { dataFolder }: Pick<Database, 'dataFolder'>,
  { metrics, logger }: Core,
  config: Config,
): Sweep[] {
  if (dataFolder === undefined) return [];
  return [diskSweep({ folder: dataFolder, warningBytes: config.diskWarningBytes, logger, metrics })];
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<number> {
  await told(app.listen({ host, port }), { host, port }, ['FIRMQUOTE_HOST', 'FIRMQUOTE_PORT']);
  return (app.server.address() as AddressInfo).port;
}

/** @returns the address on this machine */
async function listenInside(
  { insideServer }: FastifyInstance,
  { operatorListen }: Config,
): Promise<string | undefined> {
  if (insideServer === undefined || operatorListen === undefined) return undefined;
  const name = 'FIRMQUOTE_OPERATOR_LISTEN';
  const listening = once(insideServer.listen(operatorListen), 'listening');
  await told(listening, operatorListen, [name, name]);
  return addressOf(operatorListen.host, (insideServer.address() as AddressInfo).port);
}

/** What hinders listening, as what to change. */
async function told(
  listening: Promise<unknown>,
  { host, port }: ListenAddress,
  [hostSetting, portSetting]: readonly [string, string],
): Promise<void> {
  try {
    await listening;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new Error(`${portSetting}: ${port} on ${host} is in use.`, { cause: error });
    if (code === 'EACCES')
      throw new ConfigError(`${portSetting}: ${port} needs more rights than this user has.`, {
        cause: error,
      });
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      throw new ConfigError(`${hostSetting}: ${host} is no address of this machine.`, { cause: error });
    throw error;
  }
}
