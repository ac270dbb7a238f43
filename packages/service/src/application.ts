import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { Addresses, addressOf } from './addresses.ts';
import { composeServer } from './api.ts';
import { folderSweeps } from './bank-statements/folder.ts';
import { type Core, composeCore, composeSandbox } from './composition.ts';
import type { Config } from './config.ts';
import { coreSweeps } from './core-sweeps.ts';
import { requireDataFolder } from './data-folder.ts';
import { actingAsSweep } from './database/acting.ts';
import { logFailure } from './database/log-failure.ts';
import { requireMode } from './database/mode.ts';
import { type Database, databaseOfParent, type OwnDatabase, openDatabase } from './database/open.ts';
import { explainedListening, INSIDE_LISTEN_SETTINGS, LISTEN_SETTINGS, listenAt } from './http/listening.ts';
import type { PriceChannel } from './market/price-channel.ts';
import { REFRESH } from './market/publish-prices.ts';
import { diskSweep } from './operations/disk-watch.ts';
import { untilReady } from './operations/health.ts';
import { VirtualClock } from './platform/clock.ts';
import type { Logger } from './platform/logger.ts';
import type { Neighbours } from './platform/neighbours.ts';
import { type Sweep, SweepRunner } from './platform/sweeps.ts';
import type { SandboxChange } from './sandbox/controls.ts';
import type { SandboxFile } from './sandbox/credentials-file.ts';
import type { Sandbox } from './sandbox/room.ts';
import { LOOK, SettingsFollower } from './settings/follower.ts';

/** Sources that play a recording or make prices have some before that process tells of them. */
const HEARD_LIMIT_MS = 60_000; // limit: Wait of a process that starts for the prices of the one that has the sources

export interface Application {
  /** It has the price sources: what one process does for all, this one does. */
  readonly hasSources: boolean;
  /** Where it listens on this machine, without a slash at the end. */
  readonly localUrl: string;
  /** Public address of the API, without a slash at the end. */
  readonly baseUrl: string;
  /** Where operators are served, when that is apart. */
  readonly operatorUrl: string | undefined;
  /** Where operators' browsers find the console, without a slash at the end. */
  readonly consoleUrl: string;
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

/** What one of several processes of a service is given by their parent. */
interface Membership {
  readonly channel: Neighbours & PriceChannel;
  readonly ownDatabase: OwnDatabase | undefined;
  /** To be called when this one takes requests. */
  readonly serves: () => void;
  /** Resolves when all of them do. */
  readonly everyServes: Promise<void>;
}

/** Starts the whole service on the given settings, or one process of it. */
export async function startApplication(
  config: Config,
  logger: Logger,
  membership?: Membership,
): Promise<Application> {
  requireDataFolder(config);
  const own = membership?.ownDatabase;
  const database =
    own === undefined ? await openDatabase(config, logger) : databaseOfParent(config, own, logger);
  try {
    await requireMode(database.pool, config.mode);
    return await startOn(database, config, logger, membership);
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
  neighbours?: Membership['channel'],
): Promise<Instance> {
  const addresses = new Addresses(config);
  const core = await composeCore(database.pool, config, logger, addresses, neighbours);
  const sandbox =
    core.clock instanceof VirtualClock ? composeSandbox(core, core.clock, config, logger) : undefined;
  await sandbox?.controls.load();
  const follower = new SettingsFollower(core.pool, [...core.topics, ...(sandbox?.topics ?? [])]);
  answerOthers(core, follower);
  const work = [
    follower.sweep,
    ...coreSweeps(core, sandbox),
    ...(core.hasSources ? diskSweeps(database, core, config) : []),
    ...(core.hasSources ? await folderSweeps(core, config.statementFolder, logger) : []),
    ...(sandbox?.sweeps ?? []),
  ].map(actingAsSweep);
  const sweeps = runnerOf(work, core, logger);
  const app = await composeServer(core, config, logger, addresses, (routes) => {
    sandbox?.routes(routes, sweeps);
  });
  return { core, sandbox, addresses, follower, work, sweeps, app };
}

function answerOthers({ neighbours, hasSources, market }: Core, follower: SettingsFollower): void {
  neighbours?.onAsked(LOOK, () => follower.look());
  if (!hasSources) return;
  neighbours?.onAsked(REFRESH, async () => {
    await follower.look();
    await market.refresh();
  });
}

function runnerOf(work: readonly Sweep[], core: Core, logger: Logger): SweepRunner {
  core.metrics.desk.watchSweeps(work);
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

async function startOn(
  database: Database,
  config: Config,
  logger: Logger,
  membership: Membership | undefined,
): Promise<Application> {
  const instance = await composeInstance(database, config, logger, membership?.channel);
  const { core, sandbox, addresses, follower, app } = instance;
  await core.clockWatch.start();
  await core.keys.start();
  await follower.look();
  await core.market.start();
  await warnOfUnknownRoles(core, logger);
  const { operatorUrl, file } = await startServing(instance, config, membership);
  let stopsAt: string | undefined;
  return {
    hasSources: core.hasSources,
    localUrl: addresses.local(),
    baseUrl: addresses.base(),
    operatorUrl,
    consoleUrl: config.operatorUrl ?? operatorUrl ?? addresses.base(),
    noSignIn: await whyNobodySignsIn(core, config, addresses),
    sandbox: sandbox && file && { file: sandbox.file, content: file, changes: sandbox.controls.changes() },
    lost: database.lost,
    async warmUp(pause) {
      await app.compileSchemas(pause);
      // Whoever asks for it is told of a failure. One process writes it down for all.
      if (core.hasSources) await app.prepareDocumentation?.().catch(() => undefined);
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

/** From here on it is asked, and answers. */
async function startServing(
  { core, sandbox, addresses, follower, sweeps, app }: Instance,
  config: Config,
  membership: Membership | undefined,
): Promise<{ readonly operatorUrl: string | undefined; readonly file: SandboxFile | undefined }> {
  const serve = () => {
    sweeps.start();
    core.startAccepting();
  };
  if (membership === undefined) {
    const operatorUrl = await startListening(app, addresses, config);
    const file = await sandbox?.ensure(addresses, () => {
      serve();
      return untilReady(core.health);
    });
    if (sandbox === undefined) serve();
    return { operatorUrl, file };
  }
  // Connections are dealt out to whoever listens: it can answer by then, and knows what was set meanwhile.
  await heardInTime(core.heardWhole);
  serve();
  await untilReady(core.health);
  await follower.look();
  const operatorUrl = await startListening(app, addresses, config);
  membership.serves();
  if (!core.hasSources) return { operatorUrl, file: undefined };
  const everyServes = async () => {
    await membership.everyServes;
    // What this start has set.
    await membership.channel.ask(LOOK);
  };
  const file = await sandbox?.ensure(addresses, everyServes);
  await membership.everyServes;
  return { operatorUrl, file };
}

/** @returns where operators are served, when that is apart */
async function startListening(
  app: FastifyInstance,
  addresses: Addresses,
  config: Config,
): Promise<string | undefined> {
  addresses.listening(await listen(app, config));
  const operatorUrl = await listenInside(app, config);
  addresses.listeningInside(operatorUrl);
  return operatorUrl;
}

/** @throws Error when the process that has the sources says nothing */
async function heardInTime(heard: Promise<void> | undefined): Promise<void> {
  if (heard === undefined) return;
  const late = new AbortController();
  await Promise.race([
    heard,
    sleep(HEARD_LIMIT_MS, undefined, { signal: late.signal }).then(() => {
      throw new Error('The process with the price sources does not respond.');
    }),
  ]);
  late.abort();
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
            logFailure(logger, error, {}, 'the last audit entries could not be written'),
          ),
    ],
    ['market', () => core.market.stop()],
    ['clock', () => core.clockWatch.stop()],
    ['keys', () => core.keys.stop()],
    ['database', () => database.close()],
  ];
}

/** A sandbox has its ready persons, and a provider knows its own. */
async function whyNobodySignsIn(
  { people }: Core,
  { mode, provider, passkeys, operatorListen, operatorUrl }: Config,
  addresses: Addresses,
): Promise<string | undefined> {
  if (mode === 'sandbox') return undefined;
  if (operatorListen !== undefined && operatorUrl === undefined)
    return 'set FIRMQUOTE_OPERATOR_URL to where browsers reach FIRMQUOTE_OPERATOR_LISTEN: the public address has no console';
  if (provider !== undefined) return undefined;
  if (!passkeys) return 'no identity provider is set, and passkeys are off';
  if (addresses.passkeys() === undefined)
    return 'passkeys need a FIRMQUOTE_OPERATOR_URL with a host name and https';
  if (!(await people.hasNobody())) return undefined;
  return 'npm run operator -- invite-person --email <address> --roles administrator';
}

/** A name that is mistyped would say nothing until somebody signs in and may do nothing. One process says it for all. */
async function warnOfUnknownRoles({ people, hasSources }: Core, logger: Logger): Promise<void> {
  const roles = hasSources ? await people.unknownRoles() : [];
  if (roles.length > 0)
    logger.warn({ roles }, 'FIRMQUOTE_OIDC_ROLES names roles that do not exist: they permit nothing');
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
  await explainedListening(listenAt(app, { host, port }), { host, port }, LISTEN_SETTINGS);
  return (app.server.address() as AddressInfo).port;
}

/** @returns the address on this machine */
async function listenInside(
  { insideServer }: FastifyInstance,
  { operatorListen }: Config,
): Promise<string | undefined> {
  if (insideServer === undefined || operatorListen === undefined) return undefined;
  const listening = once(insideServer.listen(operatorListen), 'listening');
  await explainedListening(listening, operatorListen, INSIDE_LISTEN_SETTINGS);
  return addressOf(operatorListen.host, (insideServer.address() as AddressInfo).port);
}
