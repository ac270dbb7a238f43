import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

export interface SandboxCredential {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What `sandbox.json` holds: all that a newcomer needs to trade. */
export interface SandboxFile {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly audience: string;
  readonly customer: SandboxCredential;
  readonly operator: SandboxCredential;
  /** Another person, for what takes four eyes. */
  readonly secondOperator: SandboxCredential;
}

/** One that an earlier version has written has no second operator. */
type KnownSandboxFile = Omit<SandboxFile, 'secondOperator'> & Partial<SandboxFile>;

/** The file as it is, or undefined when there is none that can be used. */
export async function readSandboxFile(path: string): Promise<KnownSandboxFile | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const value: unknown = JSON.parse(text);
    return isSandboxFile(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Writes it whole or not at all, readable to its owner only. */
export async function writeSandboxFile(path: string, content: SandboxFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${JSON.stringify(content, null, 2)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Secrets that somebody made readable to others are closed to them again. */
export async function closeToOthers(path: string): Promise<void> {
  await chmod(path, 0o600);
}

function isSandboxFile(value: unknown): value is KnownSandboxFile {
  if (!isRecord(value)) return false;
  return (
    ['baseUrl', 'authUrl', 'audience'].every((name) => typeof value[name] === 'string') &&
    isCredential(value.customer) &&
    isCredential(value.operator) &&
    (value.secondOperator === undefined || isCredential(value.secondOperator))
  );
}

function isCredential(value: unknown): value is SandboxCredential {
  return isRecord(value) && typeof value.clientId === 'string' && typeof value.clientSecret === 'string';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
