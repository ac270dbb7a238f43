import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { freePort, until } from '../../packages/service/test/support/process.ts';
import { type Cluster, openCluster, serverUser, skipWithoutPostgres } from './cluster.ts';
import { configured, Programs, type Running } from './programs.ts';
import { skipWithout } from './shell.ts';

/** Two PostgreSQL with Patroni and etcd, and HAProxy before them, as they are configured in `ops/patroni`, on one machine. */

const PASSWORD = 'drill';
const NAMES = ['one', 'two'] as const;

export type NodeName = (typeof NAMES)[number];

interface NodePlace {
  readonly name: NodeName;
  readonly data: string;
  readonly port: number;
  readonly api: number;
}

interface Node extends NodePlace {
  patroni: Running;
}

/** Why there can be none here, or false. */
export function skipWithoutPatroni(): string | false {
  const missing = skipWithout('anybody', 'patroni', 'etcd', 'haproxy');
  if (missing === false) return skipWithoutPostgres();
  return `${missing} (apt-get install patroni etcd-server haproxy postgresql-15)`;
}

interface Member {
  readonly name: NodeName;
  readonly role: string;
  readonly state: string;
}

export class PatroniPair {
  /** To the primary, whichever that is. */
  readonly url: string;
  readonly #nodes: readonly Node[];
  readonly #start: (node: NodePlace) => Running;

  private constructor(nodes: readonly Node[], start: (node: NodePlace) => Running, port: number) {
    this.#nodes = nodes;
    this.#start = start;
    this.url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
  }

  static async start(t: TestContext): Promise<PatroniPair> {
    const programs = new Programs(t);
    const cluster = openCluster(t);
    const etcdPort = await startEtcd(programs, cluster);
    const drafts: NodePlace[] = [];
    for (const name of NAMES)
      drafts.push({
        name,
        data: join(cluster.place(name), 'data'),
        port: await freePort(),
        api: await freePort(),
      });
    const startNode = (draft: NodePlace) => startPatroni(programs, cluster, draft, etcdPort);
    const [one, two] = drafts as [NodePlace, NodePlace];
    const nodes: Node[] = [{ ...one, patroni: startNode(one) }];
    await until('the first primary', async () => (await membersOf(one.api)).some(isPrimary));
    nodes.push({ ...two, patroni: startNode(two) });
    const port = await freePort();
    const content = configured('patroni/haproxy.cfg', {
      '127.0.0.1:5000': `127.0.0.1:${port}`,
      '10.0.0.21:5432 check port 8008': `127.0.0.1:${one.port} check port ${one.api}`,
      '10.0.0.22:5432 check port 8008': `127.0.0.1:${two.port} check port ${two.api}`,
    });
    const file = join(cluster.place('balancer'), 'haproxy.cfg');
    writeFileSync(file, content);
    programs.start('/usr/sbin/haproxy', ['-db', '-f', file]);
    const pair = new PatroniPair(nodes, startNode, port);
    await pair.synchronous();
    return pair;
  }

  /** Waits until the standby confirms commits, so that it may take over. */
  async synchronous(): Promise<void> {
    const isThere = async () => {
      const members = await this.#members();
      return members.some(isPrimary) && members.some(({ role }) => role === 'sync_standby');
    };
    await until('a synchronous standby', isThere).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.reported()}`);
    });
  }

  async primary(): Promise<NodeName> {
    const found = (await this.#members()).find(isPrimary);
    if (found === undefined) throw new Error(`there is no primary\n${this.reported()}`);
    return found.name;
  }

  /** As if the server had crashed: its processes are killed, those of Patroni go on. */
  killServer(name: NodeName): void {
    for (const pid of serverProcesses(this.#node(name).data)) killNow(pid);
  }

  /** As if the machine were gone: Patroni with its server. */
  async killNode(name: NodeName): Promise<void> {
    const { patroni } = this.#node(name);
    patroni.child.kill('SIGKILL');
    this.killServer(name);
    await patroni.ended;
  }

  startNode(name: NodeName): void {
    const node = this.#node(name);
    node.patroni = this.#start(node);
  }

  reported(): string {
    return this.#nodes.map(({ name, patroni }) => `${name}:\n${patroni.reported()}`).join('\n');
  }

  #node(name: NodeName): Node {
    const node = this.#nodes.find((each) => each.name === name);
    if (node === undefined) throw new Error(`there is no node ${name}`);
    return node;
  }

  async #members(): Promise<readonly Member[]> {
    const lists = await Promise.all(this.#nodes.map(({ api }) => membersOf(api).catch(() => [])));
    return lists.find((list) => list.length > 0) ?? [];
  }
}

const isPrimary = ({ role, state }: Member): boolean => role === 'leader' && state === 'running';

async function membersOf(api: number): Promise<readonly Member[]> {
  try {
    const answer = await fetch(`http://127.0.0.1:${api}/cluster`, { signal: AbortSignal.timeout(2_000) });
    return ((await answer.json()) as { members: Member[] }).members;
  } catch {
    // It does not listen yet, or no longer.
    return [];
  }
}

async function startEtcd(programs: Programs, cluster: Cluster): Promise<number> {
  const [port, peers] = [await freePort(), await freePort()];
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peers}`];
  const args = [
    ...['--name', 'drill', '--data-dir', join(cluster.place('etcd'), 'data'), '--unsafe-no-fsync'],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...[
      '--listen-peer-urls',
      peer,
      '--initial-advertise-peer-urls',
      peer,
      '--initial-cluster',
      `drill=${peer}`,
    ],
  ];
  const etcd = programs.start('etcd', args, { ...serverUser() });
  await until('etcd', async () => {
    if (etcd.child.exitCode !== null) throw new Error(etcd.reported());
    return fetch(`${client}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return port;
}

function startPatroni(
  programs: Programs,
  cluster: Cluster,
  { name, data, port, api }: NodePlace,
  etcdPort: number,
): Running {
  const file = join(cluster.socket, 'patroni.yml');
  if (!existsSync(file))
    writeFileSync(file, configured('patroni/patroni.yml', { '/var/run/postgresql': cluster.socket }), {
      mode: 0o644,
    });
  return programs.start('patroni', [file], {
    ...serverUser(),
    cwd: cluster.socket,
    env: {
      PATRONI_NAME: name,
      PATRONI_RESTAPI_LISTEN: `127.0.0.1:${api}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${api}`,
      PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${port}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${port}`,
      PATRONI_POSTGRESQL_DATA_DIR: data,
      PATRONI_POSTGRESQL_PGPASS: join(data, '../pgpass'),
      PATRONI_ETCD3_HOSTS: `127.0.0.1:${etcdPort}`,
      PATRONI_SUPERUSER_USERNAME: 'postgres',
      PATRONI_SUPERUSER_PASSWORD: PASSWORD,
      PATRONI_REPLICATION_USERNAME: 'replicator',
      PATRONI_REPLICATION_PASSWORD: PASSWORD,
    },
  });
}

/** The postmaster and its children. */
function serverProcesses(data: string): number[] {
  const postmaster = Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10);
  const children = readdirSync(`/proc/${postmaster}/task`).flatMap((thread) =>
    readFileSync(`/proc/${postmaster}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return [postmaster, ...children.map((pid) => Number.parseInt(pid, 10))];
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
