import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { OPERATIONS } from '@firmquote/api/operations/index';
import { PROBLEM_CODES } from '@firmquote/api/problems';
import MiniSearch from 'minisearch';
import { allPages } from './index.ts';
import { site } from './kept.ts';
import { markdownUrl } from './markdown.ts';
import { urlOfOperation } from './operation-pages.ts';
import { urlOfProblem } from './problem-pages.ts';
import { beginningOf, type Section } from './search.ts';
import type { SiteFile } from './site-file.ts';
import { filePages, isForContributors, markdownFiles, ROOT } from './site-map.ts';

/** A page with everything that it needs to be read, compressed or not. */
const FIRST_LOAD_KIB_MAX = 120;

let files: ReadonlyMap<string, SiteFile>;
let pages: readonly SiteFile[];

before(async () => {
  const all = await site();
  files = new Map(all.map((file) => [file.path, file]));
  pages = all.filter(({ type }) => type.startsWith('text/html'));
});

test('every document is a page, but those for contributors, and for one kind of reader', () => {
  const placed = new Set(filePages(() => '').map(({ file }) => file));
  assert.deepEqual(
    markdownFiles().filter((file) => !placed.has(file) && !isForContributors(file)),
    [],
  );
});

test('every operation and every problem code has a page, and no address is used twice', () => {
  for (const operation of OPERATIONS) assert.ok(files.has(urlOfOperation(operation)), operation.id);
  for (const code of PROBLEM_CODES) assert.ok(files.has(urlOfProblem(code)), code);
  const urls = allPages().map(({ url }) => url);
  assert.equal(new Set(urls).size, urls.length);
});

test('links lead somewhere, to the heading', () => {
  const broken: string[] = [];
  const elsewhere = /^(https?:|data:|\/docs\/try\/|\/openapi(-customer)?\.json|\/llms)/;
  for (const { path, content } of pages) {
    for (const [, href = ''] of content.matchAll(/ href="([^"]*)"/g)) {
      if (elsewhere.test(href)) continue;
      const [target = '', anchor] = href.split('#');
      const page = files.get(target === '' ? path : target);
      const leads = page !== undefined && (anchor === undefined || page.content.includes(` id="${anchor}"`));
      if (!leads) broken.push(`${path}: ${href}`);
    }
  }
  assert.deepEqual(broken, []);
});

describe('pages', () => {
  test('are there as Markdown, which leads to Markdown', () => {
    for (const { url } of allPages()) {
      const { content } = files.get(markdownUrl(url)) ?? assert.fail(url);
      assert.match(content, /^# ./, url);
      const links = [...content.matchAll(/\]\((\/docs[^)#]*)/g)].map(([, link = '']) => link);
      assert.deepEqual(
        links.filter((link) => !files.has(link) && link !== '/docs/try/'),
        [],
        url,
      );
    }
  });

  test('have one main heading, a language, a title, and headings that leave out no level', () => {
    for (const { path, content } of pages) {
      assert.match(content, /<html lang="en">[\s\S]*<title>[^<]+<\/title>/, path);
      const levels = [...content.matchAll(/<h([1-6])[ >]/g)].map(([, level]) => Number(level));
      assert.equal(levels.filter((level) => level === 1).length, 1, path);
      const jumps = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1);
      assert.deepEqual(
        jumps.filter((level) => level !== 4),
        [],
        path,
      );
    }
  });

  test('run and load nothing but what is ours', () => {
    for (const { path, content } of pages) {
      assert.doesNotMatch(content, / style="| on\w+="|<style/, path);
      const loaded = [
        ...content.matchAll(/<(?:script|link rel="stylesheet"|img|iframe)[^>]*(?:src|href)="([^"]*)"/g),
      ];
      for (const [, source = ''] of loaded) assert.ok(files.get(source)?.isImmutable, `${path}: ${source}`);
      assert.equal([...content.matchAll(/<script>/g)].length, 1, path);
    }
  });

  test('are small', () => {
    const shared = [...files.values()].filter(({ path }) => /\/site-\w+\.(css|js)$/.test(path));
    assert.equal(shared.length, 2);
    const assets = shared.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
    const large = pages
      .filter(({ path }) => !/\/(all|rules)$/.test(path))
      .flatMap(({ path, content }) => {
        const kib = Math.round((Buffer.byteLength(content) + assets) / 1024);
        return kib > FIRST_LOAD_KIB_MAX ? [`${path}: ${kib} KiB`] : [];
      });
    assert.deepEqual(large, []);
  });
});

test('a search for "idempotency" finds its guide first, and a code its page', () => {
  const script = [...files.values()].find(({ path }) => /\/site-\w+\.js$/.test(path))?.content ?? '';
  const [sectionsPath = ''] = /\/docs\/assets\/sections-\w+\.json/.exec(script) ?? [];
  assert.match(script, /import\('\/docs\/assets\/minisearch-\w+\.js'\)/);
  const sections = JSON.parse(files.get(sectionsPath)?.content ?? '') as Section[];
  const index = new MiniSearch<Section>({
    fields: ['heading', 'title', 'text'],
    searchOptions: {
      prefix: true,
      boost: { heading: 3, title: 4 },
      boostDocument: (_id, _term, stored) => Number(stored?.weight),
    },
    storeFields: ['weight'],
  });
  index.addAll(sections);
  const first = (words: string) => String(index.search(words, { combineWith: 'AND' })[0]?.id);
  assert.match(first('idempotency'), /^\/docs\/idempotency/);
  assert.match(first('quote_expired'), /^\/docs\/errors\/quote-expired/);
  assert.match(first('webhooks'), /^\/docs\/webhooks/);
});

test('a page is described by how its text begins, in plain words and whole ones', () => {
  const of = (html: string) => beginningOf(`<h1>Title</h1>\n${html}`);
  assert.equal(
    of('<p>Send <code>Bearer &lt;token&gt;</code>.</p><h2 id="x">Next</h2><p>Not this.</p>'),
    'Send Bearer <token>.',
  );
  const picture = '<p><svg><title>States of a quote</title><desc>Begins as open.</desc></svg></p>';
  assert.equal(of(`${picture}<p>A quote is open.</p>`), 'A quote is open.');
  assert.equal(of(`${picture}<h2 id="x">Quotes</h2><p>A quote is open.</p>`), 'A quote is open.');
  assert.equal(
    of('<p><code>GET /v1/quotes</code></p><p>All of them.</p><table></table>'),
    'GET /v1/quotes: All of them.',
  );
  assert.equal(of(`<p>${'word, '.repeat(50)}</p>`), `${'word, '.repeat(25)}word…`);
  for (const { path, content } of pages) {
    const [, description = ''] = /<meta name="description" content="([^"]*)">/.exec(content) ?? [];
    assert.match(description, /^\S.*\S$/, path);
    assert.doesNotMatch(description, /&amp;(lt|gt|quot|amp);/, path);
  }
});

test('nothing is deprecated, as the page on versions says', () => {
  assert.match(files.get('/docs/versioning.md')?.content ?? '', /^Nothing is deprecated today\./m);
  const document = readFileSync(join(ROOT, 'packages/api/openapi.json'), 'utf8');
  assert.doesNotMatch(document, /"deprecated":/);
});

test('llms.txt names the pages as Markdown, and llms-full.txt has the guides', () => {
  const index = files.get('/llms.txt')?.content ?? '';
  const links = [...index.matchAll(/\]\((\/[^)]*)\)/g)].map(([, link = '']) => link);
  assert.ok(links.length > 60);
  assert.doesNotMatch(index, /&(lt|gt|quot|amp);|: *$/m);
  assert.deepEqual(
    links.filter((link) => !files.has(link) && !/^\/openapi(-customer)?\.json$/.test(link)),
    [],
  );
  const full = files.get('/llms-full.txt')?.content ?? '';
  for (const heading of ['# Quickstart', '# Idempotency and retries', '# Problem codes'])
    assert.ok(full.includes(heading));
});
