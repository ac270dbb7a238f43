// Builds what the console is in a browser: packages/console/dist, made of its sources and of packages/client. Runs before
// `npm start` and `npm test`, hence on whatever Node the machine has; what is there already for the same content stays.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, relative, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const ROOT = resolve(import.meta.dirname ?? fileURLToPath(new URL('.', import.meta.url)), '..');
const CONSOLE = join(ROOT, 'packages/console');
/** Where the service finds it, and where it is in browsers. */
const DIST = join(CONSOLE, 'dist');
const BASE = '/console/';
/** What the service reads first; the last file that is written. */
const LIST = 'files.json';
const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml' };
const BROTLI_QUALITY = 9;

/** Builds where anything has changed. Answers whether there is something to serve. */
export async function buildConsole() {
  // As in a copy of the project that only runs the service.
  if (!existsSync(CONSOLE)) return false;
  const expected = fingerprint();
  if (isCurrent(expected)) return true;
  const started = Date.now();
  const place = `${DIST}.${process.pid}`;
  try {
    await build(place, expected);
    const old = `${place}.old`;
    if (existsSync(DIST)) renameSync(DIST, old);
    renameSync(place, DIST);
    rmSync(old, { recursive: true, force: true });
    console.log(`Console built in ${((Date.now() - started) / 1000).toFixed(1)} s: ${sizes()}.`);
    return true;
  } catch (error) {
    // Two builds at once come to the same: whoever is second takes what the first one has made.
    if (isCurrent(expected)) return true;
    console.error(`The console could not be built: ${error instanceof Error ? error.message : error}`);
    return false;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Sources and the versions of everything that goes into it. */
function fingerprint() {
  const hash = createHash('sha256');
  const sources = ['packages/console/src', 'packages/client/src'].flatMap(filesIn);
  for (const path of [...sources, 'scripts/build-console.mjs', 'package-lock.json'])
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(ROOT, path)));
  return hash.digest('hex');
}

function filesIn(folder) {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath ?? entry.path, entry.name)).replaceAll('\\', '/'))
    .sort();
}

function isCurrent(expected) {
  try {
    return JSON.parse(readFileSync(join(DIST, LIST), 'utf8')).fingerprint === expected;
  } catch {
    return false;
  }
}

/** What a browser loads, gzip. */
function sizes() {
  const { files } = JSON.parse(readFileSync(join(DIST, LIST), 'utf8'));
  const kB = (some) => `${Math.round(some / 1000)} kB`;
  const sized = files.map(({ file, isFirst }) => ({
    isFirst,
    bytes: statSync(join(DIST, `${file}.gz`)).size,
  }));
  const first = sized.filter(({ isFirst }) => isFirst).reduce((sum, { bytes }) => sum + bytes, 0);
  const largest = Math.max(...sized.filter(({ isFirst }) => !isFirst).map(({ bytes }) => bytes));
  return `first load ${kB(first)}, largest of the rest ${kB(largest)}, gzip`;
}

async function build(place, expected) {
  // Installed by the step before this one, so not when this file is loaded.
  const require = createRequire(join(CONSOLE, 'package.json'));
  const esbuild = await import(pathToFileURL(require.resolve('esbuild')).href);
  mkdirSync(place, { recursive: true });
  const entries = {
    main: join(CONSOLE, 'src/main.tsx'),
    theme: join(CONSOLE, 'src/theme-first.ts'),
    prices: join(CONSOLE, 'src/prices/worker.ts'),
  };
  const { metafile } = await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: entries,
    outdir: join(place, 'assets'),
    publicPath: `${BASE}assets/`,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: ['es2024'],
    jsx: 'automatic',
    minify: true,
    legalComments: 'linked',
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
    logLevel: 'silent',
  });
  // Its process would stay as long as this one, which waits for the service.
  await esbuild.stop();
  const outputs = Object.entries(metafile.outputs).map(([path, output]) => ({
    name: basename(path),
    output,
  }));
  const nameOf = (entry) => {
    const found = outputs.find(({ output }) => output.entryPoint === `packages/console/src/${entry}`);
    return { js: found.name, css: found.output.cssBundle && basename(found.output.cssBundle) };
  };
  const main = nameOf('main.tsx');
  const first = firstLoad(metafile.outputs, main.js);
  const html = readFileSync(join(CONSOLE, 'src/index.html'), 'utf8')
    .replace('{theme}', `${BASE}assets/${nameOf('theme-first.ts').js}`)
    .replace('{worker}', `${BASE}assets/${nameOf('prices/worker.ts').js}`)
    .replace('{style}', `${BASE}assets/${main.css}`)
    .replace('{main}', `${BASE}assets/${main.js}`);
  writeFileSync(join(place, 'index.html'), html);
  const served = outputs.filter(({ name }) => name.split('.').at(-1) in TYPES).map(({ name }) => name);
  const files = [
    { path: BASE, file: 'index.html', type: 'text/html; charset=utf-8', isFirst: true },
    ...served.map((name) => ({
      path: `${BASE}assets/${name}`,
      file: `assets/${name}`,
      type: TYPES[name.split('.').at(-1)],
      isFirst: first.has(name) || name === main.css || name === nameOf('theme-first.ts').js,
    })),
  ];
  for (const { file } of files) compress(join(place, file));
  writeFileSync(join(place, LIST), JSON.stringify({ fingerprint: expected, files }, null, 1));
}

/** What a browser loads before anything is chosen: the entry, and what it imports at once. */
function firstLoad(outputs, main) {
  const byName = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output]));
  const found = new Set();
  const add = (name) => {
    if (found.has(name)) return;
    found.add(name);
    for (const { path, kind } of byName.get(name)?.imports ?? [])
      if (kind === 'import-statement') add(basename(path));
  };
  add(main);
  return found;
}

function compress(path) {
  const content = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  process.exitCode = (await buildConsole()) ? 0 : 1;
}
