import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import * as except from './support/architecture-exceptions.ts';
import * as rules from './support/architecture-rules.ts';
import { functionsAreShort } from './support/function-rules.ts';
import { answersOf, columnsOf, rowsAreGenerated, sqlStandsInStores } from './support/row-rules.ts';
import { isBeside, readSources, sourceFile, withoutComments } from './support/source-files.ts';

/** Who may import whom, and what may not be written where. ARCHITECTURE.md says why. */

const ROOT = resolve(import.meta.dirname, '../../..');
const FILE_LINES_MAX = 500;
const FUNCTION_LINES_MAX = 60;
const DEPENDENCIES = Object.fromEntries(
  ['fx', 'bank-formats', 'sandbox-bank', 'api'].map((name) => [name, dependenciesOf(name)]),
);

function dependenciesOf(name: string): ReadonlySet<string> {
  const text = readFileSync(join(ROOT, `packages/${name}/package.json`), 'utf8');
  return new Set(Object.keys((JSON.parse(text) as { dependencies: Record<string, string> }).dependencies));
}

const ROWS = readFileSync(join(ROOT, 'packages/service/src/database/rows.ts'), 'utf8');
const SCHEMA = readFileSync(join(ROOT, 'packages/service/sql/schema.sql'), 'utf8');

const everything = readSources(ROOT);
const sources = everything.filter(({ path }) => !isBeside(path));
const BESIDE = everything.filter(({ path }) => isBeside(path)).map(({ code }) => code);

type Held = readonly [name: string, rule: rules.Rule, exceptions: except.Exceptions];

const HOLDS: readonly Held[] = [
  [
    'pure packages import nothing of Node, and of ours only pure ones below',
    rules.pureStandsAlone(DEPENDENCIES),
    except.NONE,
  ],
  ['pure packages have no floats, no clock and no chance', rules.pureIsExact, except.NONE],
  ['money paths of the service have no floats', rules.noFloatsOnMoneyPaths, except.NONE],
  ['time is injected', rules.timeIsInjected, except.ON_REAL_TIME],
  ['failures are classified in one place', rules.failuresAreClassified, except.LOGS_ITSELF],
  ['nothing writes to the console', rules.noConsole, except.WRITES_TO_CONSOLE],
  ['what decides imports no I/O', rules.decisionsAreGivenAll, except.NONE],
  ['what decides waits for nothing, and has no clock and no chance', rules.decisionsDoNotWait, except.NONE],
  ['settings come from config.ts', rules.settingsComeFromConfig, except.READS_ENVIRONMENT],
  ['rooms read no key, no condition and no preference of a request', rules.headersAreDeclared, except.NONE],
  ['platform, problems, database and http know no room', rules.groundKnowsNoRoom, except.NONE],
  ['schemas are made without the library', rules.schemasLoadNoLibrary, except.NONE],
  ["a room's store is its own", rules.storesArePrivate, except.NONE],
  ["a room's routes are its own", rules.routesArePrivate, except.NONE],
  ["a room's SQL stands in its stores", sqlStandsInStores, except.CALLED_IN_A_TRANSACTION],
  ['only the composition root knows the sandbox', rules.sandboxIsOptional, except.NONE],
  ['rooms know nothing of what stands above them', rules.roomsKnowNothingAbove, except.NONE],
  ['test support stays in tests', rules.testSupportStaysInTests, except.USES_TEST_SUPPORT],
  ['the FIX gateway stands apart', rules.gatewayStandsApart, except.NONE],
  ['the FIX gateway keeps prices as texts', rules.gatewayKeepsTexts, except.NONE],
  [
    'rows have the types that are made from the schema',
    rowsAreGenerated(columnsOf(ROWS), answersOf(SCHEMA)),
    except.NONE,
  ],
  ['the embedded server stands alone', rules.embeddedStandsAlone, except.NONE],
  ['rooms do not know which server they are on', rules.embeddedIsOpenedOnce, except.NONE],
  ['the client stands alone', rules.clientStandsAlone, except.NONE],
  ['the command line has the client and nothing else of ours', rules.commandLineHasTheClient, except.NONE],
  ['examples import only the client', rules.examplesUseTheClient, except.NONE],
  ['no files import each other in a circle', rules.noImportCycles, except.NONE],
  ['no rooms import each other in a circle', rules.roomsHaveAnOrder, except.NONE],
  ['what is exported is used', rules.exportsAreUsed(BESIDE), except.NONE],
];

/** Also of what stands beside the packages. */
const HOLDS_EVERYWHERE: readonly Held[] = [
  [`no file has more than ${FILE_LINES_MAX} lines`, rules.filesAreShort(FILE_LINES_MAX), except.GENERATED],
  [
    `no function has more than ${FUNCTION_LINES_MAX} lines`,
    functionsAreShort(FUNCTION_LINES_MAX),
    except.LONG,
  ],
];

test('the sources are found', () => {
  for (const path of ['packages/fx/src/pricing.ts', 'packages/service/src/main.ts', 'bench/main.ts']) {
    const file = everything.find((source) => source.path === path);
    assert.ok(file !== undefined && file.imports.length > 0, path);
  }
});

describe('the code keeps to its architecture', () => {
  const held = [
    ...HOLDS.map((each) => [...each, sources] as const),
    ...HOLDS_EVERYWHERE.map((each) => [...each, everything] as const),
  ];
  for (const [name, rule, exceptions, files] of held) {
    test(name, () => {
      const found = rule(files);
      const broken = found.filter(({ path }) => !(path in exceptions));
      assert.deepEqual(
        broken.map(({ path, line, message }) => `${path}:${line} ${message}`),
        [],
      );
      const needed = new Set(found.map(({ path }) => path));
      const stale = Object.keys(exceptions).filter((path) => !needed.has(path));
      assert.deepEqual(stale, [], 'exceptions that are no longer needed');
    });
  }
});

const FX = 'packages/fx/src';
const FORMATS = 'packages/bank-formats/src';
const SERVICE = 'packages/service/src';
const GATEWAY = 'packages/fix-gateway/src';
const CLIENT = 'packages/client/src';
const CLI = 'packages/cli/src';

/** For each rule, a source that breaks it once, on the given line, and one like it that does not. */
const BROKEN: readonly (readonly [rules.Rule, path: string, wrong: string, line: number, right: string])[] = [
  [rules.pureStandsAlone({}), `${FX}/a.ts`, "import { join } from 'node:path';", 1, "import './b.ts';"],
  [
    rules.pureStandsAlone({ 'bank-formats': new Set(['@firmquote/fx', '@firmquote/api']) }),
    `${FORMATS}/a.ts`,
    "import '@firmquote/fx';\nimport '@firmquote/api';",
    2,
    "import '@firmquote/fx';",
  ],
  [
    rules.pureStandsAlone({ fx: new Set(['@firmquote/bank-formats']) }),
    `${FX}/a.ts`,
    "import type { Entry } from '@firmquote/bank-formats';",
    1,
    "import './b.ts';",
  ],
  [
    rules.pureStandsAlone({ fx: new Set(['x']) }),
    `${FX}/a.ts`,
    "import x from 'x';\nexport * from 'y';",
    2,
    "import x from 'x';",
  ],
  [
    rules.pureStandsAlone({}),
    `${FX}/dates/a.ts`,
    "import type { Clock } from '../../../service/src/platform/clock.ts';",
    1,
    "import type { Pair } from '../pair.ts';",
  ],
  [rules.pureIsExact, `${FX}/a.ts`, 'a();\nb = Number(a);', 2, 'b = Number.parseInt(a, 10);'],
  [rules.pureIsExact, `${FX}/a.ts`, 'a = parseFloat(b);', 1, '// a = parseFloat(b);'],
  [rules.pureIsExact, `${FX}/a.ts`, 'a = new Date(0);', 1, '/* new Date(0) */'],
  [rules.pureIsExact, `${FX}/a.ts`, 'a = Date.now();', 1, 'a = clock.now();'],
  [rules.pureIsExact, `${FX}/a.ts`, 'a = Math.random();', 1, 'a = Math.max(1, 2);'],
  [rules.pureIsExact, `${FX}/a.ts`, 'a = b.toFixed(2);', 1, 'a = formatDecimal(b);'],
  [rules.noFloatsOnMoneyPaths, `${SERVICE}/quotes/a.ts`, `\`\${\`//\`} \${Number(a)}\`;`, 1, '`Number`;'],
  [rules.noFloatsOnMoneyPaths, `${SERVICE}/ledger/a.ts`, "a = '//'; parseFloat(b);", 1, "a = 'x';"],
  [rules.noFloatsOnMoneyPaths, `${SERVICE}/market/sources/a.ts`, 'a = /[/]/; b.toFixed(1);', 1, 'a = b / c;'],
  [rules.timeIsInjected, `${SERVICE}/customers/a.ts`, 'a = new Date( );', 1, 'a = new Date(instant);'],
  [rules.timeIsInjected, `${SERVICE}/http/a.ts`, 'const now = Date.now;', 1, 'a = Date.parse(text);'],
  [
    rules.failuresAreClassified,
    `${SERVICE}/quotes/a.ts`,
    "a;\nlogger.error({ err: error, id }, 'x');",
    2,
    "logger.error({ id }, 'x');",
  ],
  [
    rules.failuresAreClassified,
    `${SERVICE}/quotes/a.ts`,
    'logger.warn({ a, err });',
    1,
    'logger.debug({ err });',
  ],
  [rules.failuresAreClassified, `${SERVICE}/quotes/a.ts`, "request.log.error('x');", 1, 'request.logger;'],
  [rules.noConsole, `${SERVICE}/http/a.ts`, "\n\nconsole.log('x');", 3, 'logger.info({});'],
  [rules.settingsComeFromConfig, `${SERVICE}/market/a.ts`, 'a = process.env.X;', 1, 'a = process.pid;'],
  [
    rules.headersAreDeclared,
    `${SERVICE}/quotes/a.ts`,
    "a();\nb = request.headers['if-none-match'];",
    2,
    'b = headers.has(version);',
  ],
  [rules.headersAreDeclared, `${SERVICE}/quotes/a.ts`, 'a = parseIfMatch(b);', 1, 'a = headers.ifMatch;'],
  [
    rules.headersAreDeclared,
    `${SERVICE}/streams/a.ts`,
    "a = b['last-event-id'];",
    1,
    'a = headers.lastEventId;',
  ],
  [rules.headersAreDeclared, `${SERVICE}/events/a.ts`, 'a = request.headers.prefer;', 1, 'a = headers.wait;'],
  [
    rules.schemasLoadNoLibrary,
    `${SERVICE}/quotes/a.ts`,
    "import { type Static, Type } from 'typebox';",
    1,
    "import type { Static } from 'typebox';",
  ],
  [
    rules.decisionsAreGivenAll,
    `${SERVICE}/deposits/decide-match.ts`,
    "import type { Queryable } from '../database/pool.ts';\nimport { lockRows } from '../database/pool.ts';",
    2,
    "import { isExpecting } from './receivables.ts';",
  ],
  [rules.decisionsDoNotWait, `${SERVICE}/deposits/decide-match.ts`, 'a = await b;', 1, 'a = awaited(b);'],
  [
    rules.groundKnowsNoRoom,
    `${SERVICE}/database/a.ts`,
    "import type { QuoteRecord } from '../quotes/record.ts';",
    1,
    "import { Problem } from '../problems/problem.ts';",
  ],
  [
    rules.groundKnowsNoRoom,
    `${SERVICE}/platform/a.ts`,
    "import { Problem } from '../problems/problem.ts';",
    1,
    "import type { Clock } from './clock.ts';",
  ],
  [
    rules.storesArePrivate,
    `${SERVICE}/payments/a.ts`,
    "import { type T, f } from '../pricing/spread-store.ts';",
    1,
    "import type { T } from '../pricing/spread-store.ts';",
  ],
  [
    rules.storesArePrivate,
    `${SERVICE}/payments/a.ts`,
    "import { type T } from '../quotes/store.ts';",
    1,
    "import { f } from './store.ts';",
  ],
  [
    rules.routesArePrivate,
    `${SERVICE}/deposits/routes.ts`,
    "import { commandOf } from '../payments/routes.ts';",
    1,
    "import { accountRoutes } from './account-routes.ts';",
  ],
  [
    rules.routesArePrivate,
    `${SERVICE}/streams/room.ts`,
    "import type { StreamIndicative } from '../quotes/explain-route.ts';",
    1,
    "import type { StreamIndicative } from '../quotes/room.ts';",
  ],
  [
    sqlStandsInStores,
    `${SERVICE}/quotes/list-quotes.ts`,
    'a;\nb = await pool.query(`\n  select 1`);',
    3,
    "a = 'a select few';",
  ],
  [
    sqlStandsInStores,
    `${SERVICE}/quotes/a.ts`,
    "a = { text: 'update quotes q set a = 1' };",
    1,
    "a = 'update it';",
  ],
  [
    rules.sandboxIsOptional,
    `${SERVICE}/quotes/a.ts`,
    "const a = await import('../sandbox/bank.ts');",
    1,
    "import { f } from '../market/sandbox.ts';",
  ],
  [
    rules.sandboxIsOptional,
    `${SERVICE}/payments/a.ts`,
    "import { movement } from '@firmquote/sandbox-bank';",
    1,
    "import { isIban } from '@firmquote/bank-formats';",
  ],
  [
    rules.roomsKnowNothingAbove,
    `${SERVICE}/quotes/a.ts`,
    "import type { Application } from '../application.ts';",
    1,
    "import type { Config } from '../config.ts';",
  ],
  [
    rules.testSupportStaysInTests,
    `${SERVICE}/quotes/a.ts`,
    "import { createDesk } from '../../test/support/trading.ts';",
    1,
    "import { f } from './testing-ground.ts';",
  ],
  [
    rules.gatewayStandsApart,
    `${SERVICE}/market/fix/a.ts`,
    "import '../../../../fix-gateway/src/main.ts';",
    1,
    "import './protocol.ts';",
  ],
  [
    rules.gatewayStandsApart,
    `${GATEWAY}/a.ts`,
    "import '../../service/src/config.ts';",
    1,
    "import type { Side } from '../../service/src/market/fix/protocol.ts';",
  ],
  [rules.gatewayKeepsTexts, `${GATEWAY}/a.ts`, "a = view.getTyped('Price');", 1, "view.getString('Price');"],
  [
    rules.groundKnowsNoRoom,
    `${SERVICE}/platform/a.ts`,
    "import { startEmbeddedPostgres } from '@firmquote/embedded-postgres';",
    1,
    "import pg from 'pg';",
  ],
  [
    rules.embeddedIsOpenedOnce,
    `${SERVICE}/deposits/decide-match.ts`,
    "import { runningPostgres } from '@firmquote/embedded-postgres';",
    1,
    "import type { Pool } from '../database/pool.ts';",
  ],
  [
    rules.embeddedStandsAlone,
    'packages/embedded-postgres/src/a.ts',
    "import { formatAmount } from '@firmquote/fx';",
    1,
    "import { findAccount } from './account.ts';",
  ],
  [
    rules.testSupportStaysInTests,
    `${SERVICE}/database/a.ts`,
    "import { query } from '@firmquote/embedded-postgres/testing';",
    1,
    "import { SERVICE_ROLE } from '@firmquote/embedded-postgres';",
  ],
  [rules.clientStandsAlone, `${CLIENT}/a.ts`, "import { join } from 'node:path';", 1, "import './b.ts';"],
  [
    rules.clientStandsAlone,
    `${CLIENT}/generated/a.ts`,
    "import type { Quote } from '@firmquote/api';",
    1,
    "import type { Open } from '../open.ts';",
  ],
  [
    rules.commandLineHasTheClient,
    `${CLI}/a.ts`,
    "import '../../client/src/client.ts';",
    1,
    "import { Firmquote } from '@firmquote/client';",
  ],
  [
    rules.commandLineHasTheClient,
    `${CLI}/commands/a.ts`,
    "import type { Quote } from '@firmquote/api';",
    1,
    "import { SANDBOX_OPERATIONS } from '@firmquote/client/sandbox';",
  ],
  [
    rules.examplesUseTheClient,
    'examples/a.ts',
    "import '@firmquote/clients';",
    1,
    "import '@firmquote/client/money';\nimport { join } from 'node:path';",
  ],
  [
    rules.exportsAreUsed(['import { known } from "../a.ts";']),
    `${SERVICE}/quotes/a.ts`,
    'export const known = 1;\nexport function own() {}',
    2,
    'export const known = 1;\nfunction own() {}',
  ],
  [
    rules.exportsAreUsed(['known;']),
    `${FX}/a.ts`,
    'export const known = 1;\nexport type Own = typeof known;',
    2,
    'type Own = 1;\nexport const used: Own = known;\nexport const known = used;',
  ],
  [rules.filesAreShort(2), `${SERVICE}/a.ts`, 'a;\nb;\nc;\n', 3, 'a;\nb;\n'],
  [
    functionsAreShort(3),
    `${SERVICE}/a.ts`,
    'export function f(\n  a: number,\n) {\n  return a;\n}\n',
    1,
    'export function f(a: number) {\n  return a;\n}\n',
  ],
  [
    functionsAreShort(3),
    `${SERVICE}/a.ts`,
    'g(\n  (a) => {\n    b;\n    c;\n  },\n);\n',
    2,
    'g((a) =>\n  b(a),\n);\n',
  ],
  [
    functionsAreShort(3),
    `${SERVICE}/a.ts`,
    'class A {\n  async #f<T>(a: T) {\n    b;\n    c;\n  }\n}\n',
    2,
    'class A {\n  #f() {\n    b;\n  }\n\n  g() {\n    c;\n  }\n}\n',
  ],
  [
    functionsAreShort(3),
    'packages/service/sql/functions/a.sql',
    '-- why\ncreate or replace function a() returns int language sql as $$\n  select\n    1\n$$;\n',
    2,
    'create or replace function a() returns int language sql as $$\n  select 1\n$$;\n',
  ],
];

/** What is applied again when its text changes, which a migration is not. */
const DEFINES =
  /^\s*create (or replace )?(function|procedure|aggregate|rule|(materialized |recursive )?view|(constraint |event )?trigger)\b/im;

test('what belongs in a file of its own is known by its first words', () => {
  const made = (text: string) => DEFINES.test(`do $$\nbegin\n  ${text} x;`);
  for (const kind of ['function', 'procedure', 'rule', 'view', 'materialized view', 'constraint trigger'])
    assert.ok(made(`create ${kind}`) && made(`create or replace ${kind}`), kind);
  for (const kind of ['table', 'type', 'index', 'statistics']) assert.ok(!made(`create ${kind}`), kind);
});

test('SQL files are functions, migrations or the schema, and migrations change tables and data only', () => {
  const folder = join(ROOT, 'packages/service');
  const files = globSync('**/*.sql', { cwd: folder }).map((file) => file.replaceAll('\\', '/'));
  const homes = /^sql\/(functions\/(tables\/)?\w+|migrations\/\d{4}_[a-z0-9_]+|schema)\.sql$/;
  assert.deepEqual(
    files.filter((file) => !homes.test(file)),
    [],
  );
  const migrations = files.filter((file) => file.startsWith('sql/migrations/'));
  assert.ok(migrations.length > 0);
  assert.deepEqual(
    migrations.filter((file) => DEFINES.test(readFileSync(join(folder, file), 'utf8'))),
    [],
    'they belong in sql/functions',
  );
});

describe('each rule finds what it is for', () => {
  for (const [index, [rule, path, wrong, line, right]] of BROKEN.entries()) {
    test(`${index + 1}: ${wrong.trim()}`, () => {
      const found = rule([sourceFile(path, wrong)]);
      assert.deepEqual(
        found.map((violation) => [violation.path, violation.line]),
        [[path, line]],
      );
      assert.deepEqual(rule([sourceFile(path, right)]), []);
    });
  }

  test('a circle of files, but not one that is closed by a type', () => {
    const circle = (first: string) => [
      sourceFile(`${FX}/a.ts`, first),
      sourceFile(`${FX}/b.ts`, "export { c } from './c.ts';"),
      sourceFile(`${FX}/c.ts`, "import {\n  a,\n  type A,\n} from './a.ts';"),
    ];
    const [found] = rules.noImportCycles(circle("import * as b from './b.ts';"));
    assert.match(found?.message ?? '', /a\.ts, .*b\.ts, .*c\.ts$/);
    assert.deepEqual(rules.noImportCycles(circle("import type { B } from './b.ts';")), []);
    assert.equal(rules.noImportCycles([sourceFile(`${FX}/a.ts`, "import './a.ts';")]).length, 1);
  });

  test('a circle of rooms, also one that is closed by a type', () => {
    const quotes = sourceFile(`${SERVICE}/quotes/a.ts`, "import type { T } from '../transactions/b.ts';");
    const own = sourceFile(`${SERVICE}/transactions/b.ts`, "import { c } from './c.ts';");
    const back = sourceFile(`${SERVICE}/transactions/c.ts`, "import { q } from '../quotes/q.ts';");
    assert.deepEqual(rules.roomsHaveAnOrder([quotes, own]), []);
    assert.match(rules.roomsHaveAnOrder([quotes, own, back])[0]?.message ?? '', /quotes, transactions$/);
  });

  test('comments are taken out and nothing else', () => {
    const kept = [
      "const url = 'http://x'; // gone",
      'const a = /\\/\\//.test(b) /* gone */ ? `$\\{//` : `$' + '{f({ a: `//$' + '{b}` })}//`;',
      'return c / d / e; // gone',
    ].join('\n');
    assert.equal(
      withoutComments(kept).replaceAll(/ +$/gm, ''),
      kept.replaceAll(/ *\/\/ gone$/gm, '').replace('/* gone */', '          '),
    );
  });
});
