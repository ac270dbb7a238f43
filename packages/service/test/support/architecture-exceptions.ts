/** Files that a rule does not hold for, each with its reason. One that is no longer needed fails the test. */
export type Exceptions = Readonly<Record<string, string>>;
export const NONE: Exceptions = {};

export const LONG: Exceptions = {
  'packages/service/sql/functions/book_trades.sql':
    'it is one statement, which reads what it books once (docs/decisions/0078)',
};

export const ON_REAL_TIME: Exceptions = {
  'packages/service/src/platform/clock.ts': 'it is the clock',
  'packages/service/src/platform/ids.ts': 'request ids belong to log lines, which are on real time',
  'packages/service/src/platform/logger.ts': 'log lines are on real time, whatever the sandbox clock says',
};

const IN_A_TRANSACTION = 'other rooms call it inside their own transaction';
export const CALLED_IN_A_TRANSACTION: Exceptions = {
  ...Object.fromEntries(
    [
      'authorization/eyes',
      'customers/standing',
      'deposits/exceptions',
      'events/append',
      'ledger/journal',
      'payments/deposit-returns',
      'settings/documents',
    ].map((name) => [`packages/service/src/${name}.ts`, IN_A_TRANSACTION]),
  ),
  'packages/service/src/settings/follower.ts': 'its one statement is put together of what is followed',
  'packages/service/src/transactions/change.ts':
    'other rooms change transactions by it inside their own transaction; its statements stand beside what they write',
};

export const READS_ENVIRONMENT: Exceptions = {
  'packages/embedded-postgres/src/initialise.ts':
    'PATH is handed on to the programs of PostgreSQL, with nothing else of the environment; it is no setting',
};

export const LOGS_ITSELF: Exceptions = {
  'packages/service/src/run-process.ts': 'the process ends or has ended its work, whatever the reason was',
  'packages/service/src/platform/sweeps.ts':
    'it stands below the database; the composition root hands it what decides',
  'packages/service/src/market/sources/replay.ts':
    'a recording that cannot be read is a fault, whatever the system calls it',
  'packages/service/src/market/sources/supervised-source.ts': 'what is behind a price is no database',
};

export const WRITES_TO_CONSOLE: Exceptions = {
  'packages/client/test/runtimes.test.ts':
    'it is in the text of a program for runtimes that have nothing else in common',
  'packages/site/src/snippets.ts': 'it is in the text of a program that the documentation shows',
  'packages/embedded-postgres/src/embedded-postgres.test.ts':
    'it is in the text of a program that the test runs in a process of its own and listens to',
};

export const USES_TEST_SUPPORT: Exceptions = {
  'packages/fix-gateway/src/demo.ts': 'it lets people have the venue that the tests have',
};

const BY_GENERATOR = 'it is made by scripts/generate-client.ts, and nobody reads it from top to bottom';
export const GENERATED: Exceptions = Object.fromEntries(
  [
    'operations',
    'operator-call-types',
    'operator-operations',
    'operator-specs',
    'operator-types',
    'types',
  ].map((name) => [`packages/client/src/generated/${name}.ts`, BY_GENERATOR]),
);
