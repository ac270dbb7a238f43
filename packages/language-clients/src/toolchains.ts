// How a client is compiled and run in each language, with what Debian packages; or why it cannot be.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { archiveOf, DOCUMENT, generateClient, type Language, run } from './generate.ts';

const HOME = resolve(import.meta.dirname, '..');
const PROGRAMS = join(import.meta.dirname, 'trade');
/** Sources of Debian's packages for Go. */
const GO_SOURCES = '/usr/share/gocode';
const JAVA_MIN = 11;

/** A program that is ready to run. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
}

/** The trade of a language, built once for each state of the document and the sources; or what is missing. */
export function buildTrade(language: Language): { readonly program: Program } | { readonly reason: string } {
  const reason = missing(language);
  if (reason !== undefined) return { reason };
  const folder = join(HOME, 'node_modules/.cache', `${language}-${fingerprint(language)}`);
  if (!existsSync(folder)) {
    const fresh = `${folder}.${process.pid}`;
    rmSync(fresh, { recursive: true, force: true });
    try {
      generateClient(language, join(fresh, 'generated'));
      BUILDS[language](fresh);
      const ofLanguage = new RegExp(`^${language}-[0-9a-f]{16}$`);
      for (const old of readdirSync(dirname(folder)).filter((name) => ofLanguage.test(name))) {
        rmSync(join(dirname(folder), old), { recursive: true, force: true });
      }
      renameSync(fresh, folder);
    } finally {
      rmSync(fresh, { recursive: true, force: true });
    }
  }
  return { program: RUNS[language](folder) };
}

const SOURCES: Readonly<Record<Language, string>> = {
  python: 'trade.py',
  go: 'trade.go',
  java: 'Trade.java',
};

function fingerprint(language: Language): string {
  const hash = createHash('sha256');
  const sources = globSync('src/*.ts', { cwd: HOME }).filter((file) => !file.endsWith('.test.ts'));
  sources.push(join(PROGRAMS, SOURCES[language]));
  for (const file of [DOCUMENT, 'package-lock.json', ...sources.sort()]) {
    hash.update(readFileSync(resolve(HOME, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

function missing(language: Language): string | undefined {
  if (!existsSync(archiveOf(language)))
    return 'the generators are not installed: run node scripts/setup-kits.mjs';
  if (javaVersion() < JAVA_MIN)
    return `there is no Java ${JAVA_MIN}: install it, in Debian default-jdk-headless`;
  return NEEDS[language]();
}

function javaVersion(): number {
  const [, major = '0'] =
    /version "(\d+)/.exec(spawnSync('java', ['-version'], { encoding: 'utf8' }).stderr ?? '') ?? [];
  return Number.parseInt(major, 10);
}

function answers(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

const PYTHONS = ['python3', '/usr/bin/python3'];

function python(): string | undefined {
  return PYTHONS.find((command) => answers(command, '-c', 'import certifi, dateutil, six, urllib3'));
}

const NEEDS: Readonly<Record<Language, () => string | undefined>> = {
  python: () =>
    python() === undefined
      ? 'there is no Python with its libraries: install them, in Debian python3-urllib3 python3-dateutil python3-certifi python3-six'
      : undefined,
  go: () =>
    answers('go', 'version') && existsSync(join(GO_SOURCES, 'src/golang.org/x/oauth2'))
      ? undefined
      : 'there is no Go with its libraries: install them, in Debian golang-go golang-golang-x-oauth2-dev',
  java: () =>
    answers('javac', '-version')
      ? undefined
      : 'there is no javac: install it, in Debian default-jdk-headless',
};

const BUILDS: Readonly<Record<Language, (folder: string) => void>> = {
  python(folder) {
    cpSync(join(PROGRAMS, SOURCES.python), join(folder, 'generated/trade.py'));
    run(python() ?? 'python3', ['-m', 'compileall', '-q', join(folder, 'generated')]);
  },
  go(folder) {
    // Without modules, as Debian's packages are used.
    const workspace = join(folder, 'workspace');
    mkdirSync(join(workspace, 'src/trade'), { recursive: true });
    renameSync(join(folder, 'generated'), join(workspace, 'src/firmquote'));
    cpSync(join(PROGRAMS, SOURCES.go), join(workspace, 'src/trade/trade.go'));
    run('go', ['build', '-o', join(folder, 'trade'), 'trade'], {
      env: {
        GO111MODULE: 'off',
        GOFLAGS: '',
        GOPATH: `${workspace}:${GO_SOURCES}`,
        GOCACHE: process.env.GOCACHE ?? join(HOME, 'node_modules/.cache/go-build'),
      },
    });
  },
  java(folder) {
    const sources = globSync('generated/src/main/java/**/*.java', { cwd: folder });
    const list = join(folder, 'sources.txt');
    writeFileSync(list, [...sources, join(PROGRAMS, SOURCES.java)].join('\n'));
    const options = ['-nowarn', '-proc:none', '-cp', archiveOf('java'), '-d', 'classes'];
    run('javac', ['-J-XX:TieredStopAtLevel=1', ...options, `@${list}`], { cwd: folder });
  },
};

const RUNS: Readonly<Record<Language, (folder: string) => Program>> = {
  python: (folder) => ({ command: python() ?? 'python3', args: [join(folder, 'generated/trade.py')] }),
  go: (folder) => ({ command: join(folder, 'trade'), args: [] }),
  java: (folder) => ({
    command: 'java',
    args: ['-cp', `${join(folder, 'classes')}:${archiveOf('java')}`, 'Trade'],
  }),
};
