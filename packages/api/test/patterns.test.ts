import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { openApiDocument } from '../src/openapi.ts';
import { OPERATIONS } from '../src/operations/index.ts';

/**
 * Generated clients hand the document's patterns to whatever their language has. Python's `re` knows no `\p`, Go's RE2
 * neither what looks around or back nor `\u`.
 */

/** RE2 counts no further. */
const REPETITIONS_MAX = 1_000;
const ESCAPE = String.raw`\\(?:[dDsSwW]|x[0-9A-Fa-f]{2}|[\\/.^$|?*+()[\]{}-])`;
const CLASS = String.raw`\[\^?(?:${ESCAPE}|[^\\[\]])+\]`;
const ATOM = String.raw`(?:${ESCAPE}|${CLASS}|\((?!\?)|[)|^$.]|[^\\[\](){}|?*+^$.])`;
const TIMES = String.raw`(?:[?*+]|\{(\d+)(?:,(\d*))?\})`;
const PIECE = new RegExp(`${ATOM}${TIMES}?`, 'y');

/** Whether it is written in what JavaScript, Python, Go and Java read alike. */
function isPortable(pattern: string): boolean {
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < pattern.length) {
    const piece = PIECE.exec(pattern);
    if (piece === null) return false;
    const counts = piece.slice(1).filter(Boolean).map(BigInt);
    if (counts.some((count) => count > REPETITIONS_MAX)) return false;
  }
  return true;
}

const PATTERNS = [...patternsOf(openApiDocument(OPERATIONS))].sort();

function patternsOf(value: unknown): Set<string> {
  if (typeof value !== 'object' || value === null) return new Set();
  const { pattern, patternProperties } = value as { pattern?: unknown; patternProperties?: object };
  const inside = Object.values(value).flatMap((each) => [...patternsOf(each)]);
  const own = typeof pattern === 'string' ? [pattern] : [];
  return new Set([...own, ...Object.keys(patternProperties ?? {}), ...inside]);
}

/** Texts that are told apart by where blanks, control characters and the ends of lines are. */
const TEXTS = [
  '',
  ' ',
  'a',
  ' a ',
  '\u00a0',
  'a\u0000',
  '\u0085',
  'ß',
  'EUR',
  '1.50',
  '2026-03-04',
  'a/b',
  '\u{1f600}',
];

/** By pattern, the texts that it takes. */
type Taken = Readonly<Record<string, readonly string[]>>;

function takenHere(): Taken {
  return Object.fromEntries(
    PATTERNS.map((pattern) => [pattern, TEXTS.filter((text) => new RegExp(pattern, 'u').test(text))]),
  );
}

test('patterns are written in what all languages read alike', () => {
  assert.ok(PATTERNS.length > 20);
  assert.deepEqual(
    PATTERNS.filter((pattern) => !isPortable(pattern)),
    [],
  );
});

test('what one language reads otherwise is found', () => {
  const wrong = String.raw`(?=.*\S)a|(?<!a)b|(?<name>a)|(?i)a|(a)\1|\p{L}|\u0000|\ud83d|\cA|\bword\b|[[:alpha:]]|a{1001}|a{2,1001}|a*+|\Z`;
  for (const pattern of wrong.split('|')) assert.equal(isPortable(pattern), false, pattern);
  for (const pattern of [String.raw`^[^\S\x00-\x1F]*$`, '^(a|b)+$', 'a{2,1000}', String.raw`\d?\.[\]]`]) {
    assert.equal(isPortable(pattern), true, pattern);
  }
});

describe('patterns mean the same elsewhere', () => {
  test('in Python', (t) => {
    const program = [
      'import json, re, sys',
      'patterns, texts = json.load(sys.stdin)',
      'print(json.dumps({p: [t for t in texts if re.search(p, t)] for p in patterns}))',
    ].join('\n');
    const taken = ask(t, 'python3', ['-c', program], 'install Python 3');
    if (taken !== undefined) assert.deepEqual(taken, takenHere());
  });

  test('in Go', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'firmquote-patterns-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'patterns.go');
    writeFileSync(file, GO_PROGRAM);
    const taken = ask(t, 'go', ['run', file], 'install Go, in Debian as golang-go');
    // Blanks beyond ASCII are none to Go: a client lets pass what the service then refuses.
    const here = Object.entries(takenHere()).map(([pattern, texts]) => [
      pattern,
      /\\s/i.test(pattern) ? TEXTS.filter((text) => texts.includes(text) || text === '\u00a0') : texts,
    ]);
    if (taken !== undefined) assert.deepEqual(taken, Object.fromEntries(here));
  });
});

const GO_PROGRAM = `package main

import (
	"encoding/json"
	"os"
	"regexp"
)

func main() {
	var given [2][]string
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	taken := map[string][]string{}
	for _, pattern := range given[0] {
		compiled := regexp.MustCompile(pattern)
		taken[pattern] = []string{}
		for _, text := range given[1] {
			if compiled.MatchString(text) {
				taken[pattern] = append(taken[pattern], text)
			}
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(taken); err != nil {
		panic(err)
	}
}
`;

/** What a program says to patterns and texts; nothing where its language is not installed, and the test skips. */
function ask(t: TestContext, command: string, args: readonly string[], remedy: string): Taken | undefined {
  const input = JSON.stringify([PATTERNS, TEXTS]);
  const { error, status, stdout, stderr } = spawnSync(command, args, { input, encoding: 'utf8' });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
    t.skip(`there is no ${command}: ${remedy}`);
    return undefined;
  }
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout) as Taken;
}
