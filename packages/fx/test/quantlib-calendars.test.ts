import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { builtInDefinitions } from '../src/dates/built-in.ts';
import { isIsoDate } from '../src/dates/time.ts';
import { isInWorkingWeek } from '../src/dates/weeks.ts';
import known from './quantlib-differences.json' with { type: 'json' };

/**
 * Settlement calendars against QuantLib's, on the working days of each currency from 2024 to 2030. They differ exactly
 * where quantlib-differences.json says so, with the reason and its source. QuantLib is the Debian package
 * quantlib-python; without it the comparison is skipped.
 */

interface Oracle {
  readonly version: string;
  readonly calendars: Readonly<Record<string, { readonly name: string; readonly closed: readonly string[] }>>;
}

interface Difference {
  readonly reason: string;
  readonly source: string;
  /** Closed here and open there. */
  readonly closedHere: readonly string[];
  /** Closed there and open here. */
  readonly closedThere: readonly string[];
}

const SCRIPT = join(import.meta.dirname, 'quantlib-calendars.py');
/** Debian's package belongs to Debian's own Python, which need not be the first one in the path. */
const PYTHONS = ['python3', '/usr/bin/python3'];
const LIMIT_MS = 60_000;
/** What the script answers where there is no QuantLib; everything else that is not 0 is a fault of it. */
const WITHOUT_QUANTLIB = 77;
const differences: Readonly<Record<string, readonly Difference[]>> = known.currencies;
const oracle = askQuantLib();
const skip =
  oracle === undefined && `no QuantLib for Python (${PYTHONS.join(', ')}): apt install quantlib-python`;

function askQuantLib(): Oracle | undefined {
  for (const python of PYTHONS) {
    const { status, stdout, stderr, error } = spawnSync(python, [SCRIPT], {
      encoding: 'utf8',
      timeout: LIMIT_MS,
      maxBuffer: 16 * 1024 * 1024,
    });
    if (status === 0) return JSON.parse(stdout) as Oracle;
    const isMissing = error !== undefined && 'code' in error && error.code === 'ENOENT';
    if (!isMissing && status !== WITHOUT_QUANTLIB) throw new Error(`${python}: ${error?.message ?? stderr}`);
  }
  return undefined;
}

/** Closing days that fall on working days: only those decide anything. */
function closedHere(currency: string): string[] {
  const definition = builtInDefinitions.find((each) => each.currency === currency);
  assert.ok(definition !== undefined, `${currency} has no calendar`);
  return [...definition.holidays.keys()].filter((date) => isInWorkingWeek(currency, date)).sort();
}

function closedThere(currency: string): string[] {
  const closed = oracle?.calendars[currency]?.closed ?? [];
  return closed.filter((date) => isInWorkingWeek(currency, date));
}

const without = (dates: readonly string[], others: readonly string[]) => {
  const taken = new Set(others);
  return dates.filter((date) => !taken.has(date));
};
const listed = (currency: string, side: 'closedHere' | 'closedThere') =>
  (differences[currency] ?? []).flatMap((difference) => difference[side]).sort();

test('each listed difference has a reason, a source and real dates, none of them twice', () => {
  for (const [currency, list] of Object.entries(differences)) {
    for (const { reason, source, ...dates } of list) {
      assert.ok(reason.length > 20 && source.length > 10, currency);
      const all = [...dates.closedHere, ...dates.closedThere];
      assert.ok(all.length > 0 && all.every((date) => isIsoDate(date)), `${currency}: ${reason}`);
    }
    for (const side of ['closedHere', 'closedThere'] as const) {
      const dates = listed(currency, side);
      assert.equal(new Set(dates).size, dates.length, `${currency} ${side}`);
    }
    // What is listed as ours is ours, also where there is no QuantLib to ask.
    assert.deepEqual(without(listed(currency, 'closedHere'), closedHere(currency)), [], currency);
    assert.deepEqual(
      without(listed(currency, 'closedThere'), closedHere(currency)),
      listed(currency, 'closedThere'),
    );
  }
});

describe('QuantLib', { skip }, () => {
  for (const currency of Object.keys(known.currencies).concat(known.equal).sort()) {
    test(`${currency} differs by what is listed`, () => {
      const here = without(closedHere(currency), closedThere(currency));
      const there = without(closedThere(currency), closedHere(currency));
      // A difference that is not listed is a mistake, of ours or of the list, whatever version is asked.
      assert.deepEqual(without(here, listed(currency, 'closedHere')), [], 'closed here, open in QuantLib');
      assert.deepEqual(without(there, listed(currency, 'closedThere')), [], 'closed in QuantLib, open here');
      // One that is listed must be there in the version that the list was made with; later ones may have mended it.
      if (oracle?.version !== known.version) return;
      assert.deepEqual([here, there], [listed(currency, 'closedHere'), listed(currency, 'closedThere')]);
    });
  }

  test('every calendar that is asked for is compared', () => {
    const compared = [...Object.keys(known.currencies), ...known.equal].sort();
    assert.deepEqual(compared, Object.keys(oracle?.calendars ?? {}).sort());
  });
});
