import { hash } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import type { SiteFile } from './site-file.ts';
import { ROOT } from './site-map.ts';

/** The site as it was made last, so that it is made once for each state of what it is made of. */

/** Where it is kept. */
export const KEPT = join(ROOT, 'packages/site/dist/site.json');
/** What the site is made of. */
const SOURCES = [
  'docs/**/*.{md,svg}',
  'packages/site/src/**/*.{ts,js,css,json}',
  'packages/api/src/**/*.{ts,json}',
  'packages/api/openapi.json',
  'packages/client/src/generated/places.ts',
  'package-lock.json',
];

interface Kept {
  readonly fingerprint: string;
  readonly files: readonly SiteFile[];
}

/**
 * The site as it is kept, if it is what the sources make; otherwise it is made and kept. Where it cannot be made, because the
 * installation has left out what makes it, the kept one is good enough.
 */
export async function site(): Promise<readonly SiteFile[]> {
  const [fingerprint, kept] = await Promise.all([fingerprintOfSources(), readKept()]);
  if (kept?.fingerprint === fingerprint) return kept.files;
  try {
    return await makeSite(fingerprint);
  } catch (error) {
    if (kept === undefined || (error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return kept.files;
  }
}

async function makeSite(fingerprint: string): Promise<readonly SiteFile[]> {
  const { buildSite } = await import('./index.ts');
  const files = await buildSite();
  await keep({ fingerprint, files }).catch(() => {
    // Where nothing can be written it is made again by the next start.
  });
  return files;
}

async function fingerprintOfSources(): Promise<string> {
  const paths = globSync(SOURCES, { cwd: ROOT }).sort();
  const parts = await Promise.all(
    paths.map(async (path) => `${path} ${hash('sha256', await readFile(join(ROOT, path)))}`),
  );
  return hash('sha256', parts.join('\n'));
}

async function readKept(): Promise<Kept | undefined> {
  try {
    return JSON.parse(await readFile(KEPT, 'utf8')) as Kept;
  } catch {
    return undefined;
  }
}

/** Whole or not at all, whoever else does the same. */
async function keep(kept: Kept): Promise<void> {
  await mkdir(join(KEPT, '..'), { recursive: true });
  const draft = `${KEPT}.${process.pid}.${kept.fingerprint.slice(0, 8)}`;
  try {
    await writeFile(draft, JSON.stringify(kept));
    await rename(draft, KEPT);
  } finally {
    await rm(draft, { force: true });
  }
}
