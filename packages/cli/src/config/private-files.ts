import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';

/** Files that only their owner may read. */

const OTHERS = 0o077;

export function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** The text of a file; undefined when there is none. What others may read is refused. */
export async function readPrivate(path: string, platform: string): Promise<string | undefined> {
  try {
    await refuseOthers(path, platform);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error instanceof CliError ? error : unusable(path, error);
  }
}

/** The JSON object of such a file. */
export async function readPrivateJson(
  path: string,
  platform: string,
): Promise<Record<string, unknown> | undefined> {
  const text = await readPrivate(path, platform);
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // The text is not quoted: it may hold a secret.
  }
  throw new CliError(
    EXIT.unexpected,
    'config_invalid',
    `${path} is not a JSON object.`,
    'Fix it, or move it away and sign in again: firmquote login.',
  );
}

async function refuseOthers(path: string, platform: string): Promise<void> {
  if (platform === 'win32') return;
  const { mode } = await stat(path);
  if ((mode & OTHERS) === 0) return;
  throw new CliError(
    EXIT.notAllowed,
    'config_readable_by_others',
    `${path} can be read by others (mode ${(mode & 0o777).toString(8)}).`,
    `chmod 600 ${path} — and rotate the secret if somebody may have read it.`,
  );
}

/**
 * Whole or not at all, readable by the owner only.
 * @param path empty where there is no place for it
 */
export async function writePrivate(path: string, text: string): Promise<void> {
  if (path === '') throw homeless();
  const folder = dirname(path);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
    await chmod(path, 0o600);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw unusable(path, error);
  }
}

export function writePrivateJson(path: string, value: unknown): Promise<void> {
  return writePrivate(path, `${JSON.stringify(value, null, 2)}\n`);
}

function homeless(): CliError {
  return new CliError(
    EXIT.unexpected,
    'config_unusable',
    'There is no home folder to keep this in.',
    'Set HOME or XDG_CONFIG_HOME to a folder of yours. Without one, FIRMQUOTE_BASE_URL, FIRMQUOTE_CLIENT_ID and FIRMQUOTE_CLIENT_SECRET sign in.',
  );
}

function unusable(path: string, error: unknown): CliError {
  return new CliError(
    EXIT.unexpected,
    'config_unusable',
    `${path}: ${(error as Error).message}`,
    'Make sure you can read and write the file, or set XDG_CONFIG_HOME to another folder.',
    { cause: error },
  );
}
