import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

/**
 * Loading, failed, forbidden, stale and being read again are shown by one part, `parts/states.tsx`, and empty and filtered-empty by the
 * list: a page that reads the service and shows its own states shows some of them wrongly, or none.
 */
const ROOT = import.meta.dirname;
const ALONE: Readonly<Record<string, string>> = {
  'pages/first-day.tsx': 'steps that are ticked by what has happened: not known yet is not ticked',
  'frame/navigation.tsx': 'counts beside links: none is shown while there is none',
  'frame/palette.tsx': 'what is found beside pages and ids: less is found without it',
  'ledger/chart.tsx': 'titles of accounts beside their amounts: their codes are shown until they are there',
  'approvals/effects.tsx': 'the deposit beside what a proposal changes, which comes with the proposal',
  'ticket/why-halted.tsx':
    'why something is halted, beside that it is: said without a reason until there is one',
};

function sources(): string[] {
  return readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.tsx') && !path.startsWith('parts'),
  );
}

test('what a page reads is shown by the part that has every state', () => {
  const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
  const reading = sources().filter((path) => /\buse(Infinite)?Query\(/.test(text(path)));
  assert.ok(reading.length > 15, `${reading.length} files read the service`);
  const without = reading.filter((path) => !/<View query=|\bstateOf\(|<Failure error=/.test(text(path)));
  assert.deepEqual(without.sort(), Object.keys(ALONE).sort());
  const byHand = sources().filter((path) => path !== 'frame/frame.tsx' && /<Loading \/>/.test(text(path)));
  assert.deepEqual(byHand, [], 'loading is a state beside the others');
});

/** The same beginning, and ids of different things. */
const APART: readonly string[] = ["['explained', *]"];

test('what is kept under one key is one reading: another page would take it for its own', () => {
  const found = new Map<string, Set<string>>();
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.tsx?$/.test(path),
  );
  for (const path of files.filter((each) => !each.endsWith('.test.ts'))) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    for (const [, parts = '', reading = ''] of text.matchAll(
      /queryKey: \[([^\]]*)\],\s*queryFn: ([\s\S]*?)\n *(?:enabled|staleTime|refetch\w*|\}\))/g,
    )) {
      const key = `[${parts
        .split(',')
        .map((part) => (/^\s*'.*'$/.test(part) ? part.trim() : '*'))
        .join(', ')}]`;
      const calls = [...reading.matchAll(/operator\.\w+/g)].map(([call]) => call);
      found.set(key, (found.get(key) ?? new Set()).add(calls.sort().join(' ')));
    }
  }
  assert.ok(found.size > 30, `${found.size} keys`);
  const shared = [...found].filter(([key, readings]) => readings.size > 1 && !APART.includes(key));
  assert.deepEqual(
    shared.map(([key, readings]) => `${key}: ${[...readings].join(' or ')}`),
    [],
  );
});
