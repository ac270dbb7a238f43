import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

/** What a browser loads before the first page stands, gzip. */
const FIRST_LOAD_MAX_BYTES = 160_000;
const PAGE_MAX_BYTES = 40_000;
const DIST = join(import.meta.dirname, '../dist');
const isBuilt = existsSync(join(DIST, 'files.json'));

test('the first load is small', { skip: !isBuilt && 'not built: run node scripts/build-console.mjs' }, () => {
  const { files } = JSON.parse(readFileSync(join(DIST, 'files.json'), 'utf8')) as {
    files: { file: string; isFirst: boolean }[];
  };
  const sized = files.map(({ file, isFirst }) => ({
    file,
    isFirst,
    bytes: statSync(join(DIST, `${file}.gz`)).size,
  }));
  const first = sized.filter(({ isFirst }) => isFirst).reduce((sum, { bytes }) => sum + bytes, 0);
  assert.ok(first < FIRST_LOAD_MAX_BYTES, `${first} bytes`);
  for (const { file, bytes, isFirst } of sized)
    assert.ok(isFirst || bytes < PAGE_MAX_BYTES, `${file}: ${bytes} bytes`);
  const html = readFileSync(join(DIST, 'index.html'), 'utf8');
  assert.doesNotMatch(
    html,
    /https?:|<style|<script>|style=/,
    'nothing stands in the page, and nothing comes from elsewhere',
  );
});

test('texts have enough contrast in both themes', () => {
  const css = readFileSync(join(import.meta.dirname, 'styles/tokens.css'), 'utf8');
  const root = css.slice(0, css.indexOf('}'));
  const pair = (name: string): readonly [light: string, dark: string] => {
    const [, light = '', dark = ''] =
      new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(root) ?? [];
    return [light, dark];
  };
  for (const ground of ['bg', 'panel', 'raised', 'wash']) {
    for (const ink of ['ink', 'dim', 'accent', 'up', 'down', 'ok', 'warn', 'bad']) {
      for (const theme of [0, 1] as const) {
        const ratio = contrast(pair(ink)[theme], pair(ground)[theme]);
        assert.ok(ratio >= 4.5, `${ink} on ${ground}: ${ratio.toFixed(2)}`);
      }
    }
  }
});

/** WCAG 2.2, relative luminance. */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = channels.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
