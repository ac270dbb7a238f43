/** What the server is told on its command line, so that a cluster always runs with the settings of this version. */
interface SettingsInput {
  readonly durable: boolean;
  readonly socketDirectory: string;
  readonly port: number;
  /** How many it takes, where that is more than usual. */
  readonly connections?: number | undefined;
}

/** For a machine with two cores and 2 GB or more, and a service that holds few connections and commits in groups. */
const COMMON = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  cluster_name: 'firmquote',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_min_messages: 'warning',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  // Short statements with plans that do not change: compiling them costs more than running them.
  jit: 'off',
  random_page_cost: '1.1',
  max_parallel_workers_per_gather: '0',
} as const;

const DURABLE = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  max_connections: '50',
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '8MB',
  maintenance_work_mem: '128MB',
  wal_compression: 'on',
  wal_buffers: '16MB',
  // Far apart, so that full page images stay few; recovery of 2 GB of log still takes seconds.
  checkpoint_timeout: '15min',
  max_wal_size: '2GB',
  min_wal_size: '256MB',
} as const;

/** For tests: the cluster is thrown away, and many test files connect at once. */
const THROWAWAY = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  shared_buffers: '128MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  checkpoint_timeout: '1h',
  max_wal_size: '4GB',
  // No database lives long enough to need it, and plans do not change while a test runs.
  autovacuum: 'off',
} as const;

/** Command line arguments of `postgres`, without the data folder. */
export function serverArguments({ durable, socketDirectory, port, connections }: SettingsInput): string[] {
  const usual = durable ? DURABLE : THROWAWAY;
  const settings: Record<string, string> = {
    ...COMMON,
    ...usual,
    max_connections: String(Math.max(Number.parseInt(usual.max_connections, 10), connections ?? 0)),
    // A list setting: quoted, since a folder's name may hold a comma.
    unix_socket_directories: `"${socketDirectory.replaceAll('"', '""')}"`,
    port: String(port),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
