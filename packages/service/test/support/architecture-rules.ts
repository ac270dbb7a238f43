import { cycles, FX_ENTRY, type Import, lineAt, type SourceFile } from './source-files.ts';

/** Something that breaks a rule. */
export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

export type Rule = (files: readonly SourceFile[]) => Violation[];

const SERVICE = 'packages/service/src/';
const ROOT_FILES = [
  'application',
  'composition',
  'core-sweeps',
  'api',
  'main',
  'child',
  'start-processes',
  'run-process',
  'operator',
  'operator-commands',
  'operator-options',
  'import-statements',
  'with-database',
  'backup',
  'migrate',
].map((name) => `${SERVICE}${name}.ts`);
const CONFIG = `${SERVICE}config.ts`;
const GATEWAY = 'packages/fix-gateway/src/';
const CLIENT = 'packages/client/src/';
const CLI = 'packages/cli/src/';
const SANDBOX_BANK = 'packages/sandbox-bank/src/';
const EMBEDDED = 'packages/embedded-postgres/src/';
/** What the service and its FIX gateway, two processes, have in common. */
const GATEWAY_PROTOCOL = `${SERVICE}market/fix/protocol.ts`;

/**
 * What the rooms stand on, and what each part of it may import of ours. Every other folder of the service is a room,
 * and may import all of these.
 */
const GROUND: Readonly<Record<string, readonly string[]>> = {
  platform: [],
  problems: ['platform'],
  database: ['platform', 'problems'],
  http: ['platform', 'problems', 'database'],
};

/** Rooms in which a number may be money, a rate or a spread. */
const MONEY_ROOMS = new Set([
  'evidence',
  'quotes',
  'transactions',
  'ledger',
  'deposits',
  'bank-statements',
  'exceptions',
  'payments',
  'customers',
  'market',
  'pricing',
  'exposure',
  'reports',
  'sandbox',
  'streams',
  'swap-points',
]);

interface Ban {
  readonly pattern: RegExp;
  readonly name: string;
  readonly instead: string;
}

const NO_FLOATS: readonly Ban[] = [
  { pattern: /\bparseFloat\s*\(/g, name: 'parseFloat(', instead: 'parseDecimal, which is exact' },
  {
    pattern: /\bNumber\s*\(/g,
    name: 'Number(',
    instead: 'BigInt for minor units, parseDecimal for rates, Number.parseInt for counts',
  },
  { pattern: /\.toFixed\s*\(/g, name: '.toFixed(', instead: 'formatAmount, formatDecimal or formatUnits' },
];

const NO_CLOCK: Ban = {
  pattern: /\bnew Date\(\s*\)|\bDate\.now\b/g,
  name: 'reading the real clock',
  instead: 'the injected Clock, or systemClock where real time is meant',
};

const PURE: readonly Ban[] = [
  ...NO_FLOATS,
  { pattern: /\bnew Date\s*\(/g, name: 'new Date(', instead: 'the functions of dates/time.ts' },
  { pattern: /\bDate\.now\b/g, name: 'Date.now', instead: 'an instant that the caller gives' },
  { pattern: /\bMath\.random\b/g, name: 'Math.random', instead: 'a value that the caller gives' },
];

/** Tests and what only tests import; the rule `testSupportStaysInTests` holds the second half of that. */
export function isTest(path: string): boolean {
  return /\.test\.ts$|\/test(ing)?\/|\/(test-support|test-server|testing)\.ts$/.test(path);
}

/** Folder of the service that a file lies in; undefined outside of it and for its top-level files. */
export function folderOf(path: string): string | undefined {
  return path.startsWith(SERVICE) ? /^([^/]+)\//.exec(path.slice(SERVICE.length))?.[1] : undefined;
}

/** TypeBox's code is some hundred modules, which a start does without; its types cost nothing. */
export const schemasLoadNoLibrary: Rule = imports((file, { specifier, typeOnly }) => {
  const isOurs = isProduction(file, SERVICE) || isProduction(file, 'packages/api');
  if (!isOurs || typeOnly || !/^typebox(\/|$)/.test(specifier)) return undefined;
  return 'Type, Static and the like come from @firmquote/api/typebox';
});

/** Packages without I/O, clock and chance, in an order: each may import what stands before it. */
const PURE_PACKAGES = ['fx', 'bank-formats', 'sandbox-bank', 'api'];

/** A pure package imports nothing of Node, of ours only pure packages below it, and only what it declares. */
export function pureStandsAlone(dependencies: Readonly<Record<string, ReadonlySet<string>>>): Rule {
  return imports((file, { specifier, target }) => {
    const name = purePackageOf(file);
    if (name === undefined) return undefined;
    if (target?.startsWith(`packages/${name}/src/`)) return undefined;
    if (specifier.startsWith('node:')) return `${name} is pure: ${specifier} must stay out of it`;
    const isOurs = specifier.startsWith('.') || specifier.startsWith('@firmquote/');
    const below = PURE_PACKAGES.slice(0, PURE_PACKAGES.indexOf(name)).map((each) => `@firmquote/${each}`);
    if (isOurs && !below.includes(specifier)) return `${name} must not know ${target ?? specifier}`;
    return dependencies[name]?.has(specifier) === true
      ? undefined
      : `${specifier} is not a dependency of ${name}`;
  });
}

export const pureIsExact = banned(PURE, (file) => purePackageOf(file) !== undefined);

function purePackageOf(file: SourceFile): string | undefined {
  return PURE_PACKAGES.find((name) => isProduction(file, `packages/${name}/src/`));
}

export const noFloatsOnMoneyPaths = banned(
  NO_FLOATS,
  (file) => isProduction(file, SERVICE) && MONEY_ROOMS.has(folderOf(file.path) ?? ''),
);

/** The library's typed values are floats: 1.0852 for 1.08520. */
export const gatewayKeepsTexts = banned(
  [
    ...NO_FLOATS,
    {
      pattern: /\.(toObject|getTyped\w*)\s*\(/g,
      name: 'a typed value',
      instead: 'fieldsOf, which gives texts',
    },
  ],
  (file) => isProduction(file, GATEWAY),
);

/** The FIX gateway is a process and an installation of its own: it may be missing where the service runs. */
export const gatewayStandsApart: Rule = imports((file, { target }) => {
  if (target === undefined || isTest(file.path)) return undefined;
  const isOfGateway = target.startsWith(GATEWAY);
  if (!file.path.startsWith(GATEWAY)) return isOfGateway ? 'the FIX gateway runs apart' : undefined;
  const isShared = target === GATEWAY_PROTOCOL || target === FX_ENTRY;
  return isOfGateway || isShared ? undefined : `the FIX gateway must not know ${target}`;
});

/** What runs as the service: itself, and the server of its database that it starts. */
const isOfService = (file: SourceFile) => isProduction(file, SERVICE) || isProduction(file, EMBEDDED);

export const timeIsInjected = banned([NO_CLOCK], isOfService);

/** What decides without I/O: all that it needs is given to it. */
const DECISIONS = new RegExp(
  `/(decide-[a-z-]+|${[
    ...[
      'matching-rules',
      'receivables',
      'payer-name',
      'timeliness',
      'statement-proof',
      'fingerprint',
      'scores',
    ],
    ...[
      'tick-judge',
      'outlier',
      'majority',
      'agreement',
      'source-top',
      'pair-settings',
      'halts',
      'usd-value',
    ],
  ].join('|')})\\.ts$`,
);

const isDecision = (file: SourceFile) => isProduction(file, SERVICE) && DECISIONS.test(file.path);

export const decisionsAreGivenAll: Rule = imports((file, { specifier, target, typeOnly }) => {
  if (!isDecision(file) || typeOnly) return undefined;
  const isOutside = specifier.startsWith('node:') || folderOf(target ?? '') === 'database';
  return isOutside || /store\.ts$/.test(specifier)
    ? `what decides has no I/O: ${specifier} must stay out of it`
    : undefined;
});

export const decisionsDoNotWait = banned(
  [...PURE, { pattern: /\b(async|await|Promise)\b/g, name: 'waiting', instead: 'what was loaded before' }],
  isDecision,
);

/** One place decides what of the failures is a fault and what passes by itself. */
export const failuresAreClassified = banned(
  [
    {
      pattern: /\.(error|warn|fatal)\(\s*\{[^}]*\berr\b/g,
      name: 'an error written to the log',
      instead: 'logFailure, which tells a fault from what passes by itself',
    },
    {
      pattern: /\b(request|req)\.log\b/g,
      name: 'the logger of a request',
      instead: 'server.logger: that one is off',
    },
  ],
  (file) => isProduction(file, SERVICE),
);

export const noConsole = banned(
  [{ pattern: /(?<![\w/'-])console\s*\./g, name: 'console', instead: 'the Logger' }],
  (file) => file.path.startsWith('packages/'),
);

export const settingsComeFromConfig = banned(
  [{ pattern: /\bprocess\.env\b/g, name: 'process.env', instead: 'a setting of config.ts' }],
  (file) => isOfService(file) && ![...ROOT_FILES, CONFIG].includes(file.path),
);

/** Rooms are handed the key, the conditions and the preferences of a request, read in `http` as its operation declares them. */
export const headersAreDeclared = banned(
  [
    {
      pattern:
        /['"`](idempotency-key|if-match|if-none-match|last-event-id|prefer)['"`]|\.prefer\b|\b(requestKeyOf|parseIdempotencyKey|parseIfMatch|ifNoneMatch|hasTag|preferredWait|preferenceOf)\b|\bprefers\(/gi,
      name: 'reading a key, a condition or a preference',
      instead: 'what serve and serveRaw hand to a handler',
    },
  ],
  (file) => isProduction(file, SERVICE) && folderOf(file.path) !== 'http',
);

/** The ground knows no room, and each part of it only the parts below; config.ts is below all. */
export const groundKnowsNoRoom: Rule = imports((file, { target }) => {
  const folder = folderOf(file.path);
  const allowed = folder === undefined ? undefined : GROUND[folder];
  if (allowed === undefined || target === undefined || isTest(file.path)) return undefined;
  if (target === CONFIG || target === FX_ENTRY) return undefined;
  if (folder === 'database' && target.startsWith(EMBEDDED)) return undefined;
  const other = folderOf(target);
  if (other !== undefined && (other === folder || allowed.includes(other))) return undefined;
  return `${folder}/ must not know ${other ?? target}`;
});

/**
 * The client runs anywhere and depends on nothing: of ours it imports nothing, and of Node neither. Whoever builds on it has the
 * client and nothing else of ours, so that nobody needs more than it can do.
 */
export const clientStandsAlone: Rule = imports((file, { specifier, target }) => {
  if (isTest(file.path) || !file.path.startsWith(CLIENT)) return undefined;
  const isOwn = target?.startsWith(CLIENT) === true;
  return isOwn ? undefined : `the client depends on nothing: ${specifier} must stay out of it`;
});

/** A room has a database, wherever that is: which server it is on, those know who open it. */
export const embeddedIsOpenedOnce: Rule = imports((file, { target }) => {
  const isItsOwn = ROOT_FILES.includes(file.path) || folderOf(file.path) === 'database' || isTest(file.path);
  if (!file.path.startsWith(SERVICE) || isItsOwn) return undefined;
  return target?.startsWith(EMBEDDED) === true
    ? 'only database/ and the programs know the embedded server'
    : undefined;
});

/** A server in a folder is one for whoever starts it. */
export const embeddedStandsAlone: Rule = imports((file, { specifier, target }) => {
  if (!file.path.startsWith(EMBEDDED)) return undefined;
  const isOurs = specifier.startsWith('.') || specifier.startsWith('@firmquote/');
  return isOurs && target?.startsWith(EMBEDDED) !== true
    ? `the embedded server must not know ${target ?? specifier}`
    : undefined;
});

/** The command line is a program like any integrator's: of ours it has the client, by its name, and nothing else. */
export const commandLineHasTheClient: Rule = imports((file, { specifier, target }) => {
  if (isTest(file.path) || !file.path.startsWith(CLI)) return undefined;
  if (specifier.startsWith('.')) {
    return target?.startsWith(CLI) === true ? undefined : `the command line must not know ${target}`;
  }
  const isOurs = specifier.startsWith('@firmquote/');
  return !isOurs || /^@firmquote\/client(\/|$)/.test(specifier)
    ? undefined
    : `the command line has @firmquote/client, not ${specifier}`;
});

/** What integrators copy: they have the client, and nothing else of ours. */
export const examplesUseTheClient: Rule = imports((file, { specifier }) => {
  if (isTest(file.path) || !file.path.startsWith('examples/')) return undefined;
  return /^(node:|@firmquote\/client(\/|$))/.test(specifier)
    ? undefined
    : `examples know the client alone: ${specifier} must stay out of them`;
});

/** A store is its room's own: others call the room's use cases. The composition root makes stores and hands them in. */
export const storesArePrivate: Rule = imports((file, { target, typeOnly }) => {
  if (target === undefined || typeOnly || isTest(file.path) || ROOT_FILES.includes(file.path))
    return undefined;
  if (!/\/([a-z-]+-)?store\.ts$/.test(target) || folderOf(target) === folderOf(file.path)) return undefined;
  return `${target.slice(SERVICE.length)} belongs to its room; call a use case, or import the type only`;
});

/** Routes are mounted by the composition root. What two rooms need of one stands beside its use cases or its views. */
export const routesArePrivate: Rule = imports((file, { target }) => {
  if (target === undefined || isTest(file.path) || ROOT_FILES.includes(file.path)) return undefined;
  const isOfRoom = folderOf(target) !== undefined && folderOf(target) !== folderOf(file.path);
  if (!isOfRoom || !/\/([a-z-]+-)?routes?\.ts$/.test(target)) return undefined;
  return `${target.slice(SERVICE.length)} belongs to its room; use cases, views and room.ts are for others`;
});

/** Production must run without the sandbox, so nothing but the composition root may know it. */
export const sandboxIsOptional: Rule = imports((file, { target }) => {
  if (target === undefined || isTest(file.path) || ROOT_FILES.includes(file.path)) return undefined;
  const isSandbox = folderOf(target) === 'sandbox' || target.startsWith(SANDBOX_BANK);
  const isOfSandbox = folderOf(file.path) === 'sandbox' || file.path.startsWith(SANDBOX_BANK);
  if (!isSandbox || isOfSandbox) return undefined;
  return 'only composition.ts may import the sandbox';
});

/** The files above the rooms (composition, addresses, what the start prints) are not for the rooms; settings are. */
export const roomsKnowNothingAbove: Rule = imports((file, { target }) => {
  if (target === undefined || isTest(file.path) || folderOf(file.path) === undefined) return undefined;
  const isAbove = target.startsWith(SERVICE) && folderOf(target) === undefined && target !== CONFIG;
  return isAbove ? `${target.slice(SERVICE.length)} stands above the rooms` : undefined;
});

export const testSupportStaysInTests: Rule = imports((file, { target }) =>
  target !== undefined && isTest(target) && !isTest(file.path) ? `${target} is for tests only` : undefined,
);

/**
 * No file reaches itself through what is loaded at run time. Type imports are left out: they are gone when the code
 * runs, so they cannot make a file see another one half initialised; between rooms `roomsHaveAnOrder` counts them.
 */
export const noImportCycles: Rule = (files) => {
  const edges = edgesOf(files, (path) => path, false);
  return cycles(edges).map((group) => cycleOf(group, files));
};

/** Folders never import each other in a circle, types included: who knows whom has one direction. */
export const roomsHaveAnOrder: Rule = (files) => {
  const production = files.filter((file) => isProduction(file, SERVICE));
  const edges = edgesOf(production, (path) => folderOf(path) ?? path, true);
  return cycles(edges).map((group) => cycleOf(group, production));
};

const EXPORT = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;

/**
 * What no other file names is its file's own. Of other packages what no file uses goes, its own included: all but the client, whose exports
 * are for whoever builds on it.
 * @param elsewhere texts beside the packages that use them too
 */
export function exportsAreUsed(elsewhere: readonly string[]): Rule {
  return (files) => {
    const wordsOf = (code: string) => new Set(code.match(/\w+/g));
    const uses = new Map<string, number>();
    for (const code of [...files.map((file) => file.code), ...elsewhere])
      for (const word of wordsOf(code)) uses.set(word, (uses.get(word) ?? 0) + 1);
    const isUnused = (file: SourceFile, name: string) => {
      if (uses.get(name) !== 1) return false;
      return isOfService(file) || file.code.match(new RegExp(`\\b${name}\\b`, 'g'))?.length === 1;
    };
    return files
      .filter(({ path }) => /^packages\/(?!client\/)[^/]+\/src\//.test(path) && !isTest(path))
      .flatMap((file) =>
        [...file.code.matchAll(EXPORT)]
          .filter(([, name = '']) => isUnused(file, name))
          .map(({ index, 1: name }) => ({
            path: file.path,
            line: lineAt(file.code, index + 1),
            message: `nobody ${isOfService(file) ? 'imports' : 'uses'} ${name}`,
          })),
      );
  };
}

export function filesAreShort(linesMax: number): Rule {
  return (files) =>
    files
      .filter((file) => file.lines > linesMax)
      .map(({ path, lines }) => ({ path, line: linesMax + 1, message: `${lines} lines, over ${linesMax}` }));
}

function isProduction(file: SourceFile, folder: string): boolean {
  return file.path.startsWith(folder) && file.path.endsWith('.ts') && !isTest(file.path);
}

/** A rule that looks at one import at a time and answers what is wrong with it. */
function imports(judge: (file: SourceFile, imported: Import) => string | undefined): Rule {
  return (files) =>
    files.flatMap((file) =>
      file.imports.flatMap((imported) => {
        const message = judge(file, imported);
        return message === undefined ? [] : [{ path: file.path, line: imported.line, message }];
      }),
    );
}

function banned(bans: readonly Ban[], applies: (file: SourceFile) => boolean): Rule {
  return (files) =>
    files.filter(applies).flatMap((file) =>
      bans.flatMap(({ pattern, name, instead }) =>
        [...file.code.matchAll(pattern)].map((match) => ({
          path: file.path,
          line: lineAt(file.code, match.index + 1),
          message: `${name} is banned here; use ${instead}`,
        })),
      ),
    );
}

function edgesOf(
  files: readonly SourceFile[],
  nodeOf: (path: string) => string,
  typesToo: boolean,
): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  for (const file of files) {
    const from = nodeOf(file.path);
    const targets = edges.get(from) ?? new Set();
    edges.set(from, targets);
    for (const { target, typeOnly } of file.imports) {
      const to = target === undefined ? undefined : nodeOf(target);
      const isInside = to === from && target !== file.path;
      if (to !== undefined && !isInside && (typesToo || !typeOnly)) targets.add(to);
    }
  }
  return edges;
}

function cycleOf(group: readonly string[], files: readonly SourceFile[]): Violation {
  const first = group[0] ?? '';
  const path = files.find((file) => file.path === first || folderOf(file.path) === first)?.path ?? first;
  return { path, line: 1, message: `import each other in a circle: ${group.join(', ')}` };
}
