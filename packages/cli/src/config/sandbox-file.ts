import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Io } from '../io.ts';

/** What a sandbox writes when it is ready: where it is, and credentials of a customer and of two operators. */

interface Credential {
  readonly clientId: string;
  readonly clientSecret: string;
}
export interface SandboxFile {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly audience: string;
  readonly customer: Credential;
  readonly operator: Credential;
  /** One that an earlier version has written has none. */
  readonly secondOperator?: Credential;
}

/** Below the folder in which `npm start` was run, unless the service was told another one. */
export function usualSandboxFile(io: Io): string {
  return resolve(io.cwd, join(io.env.FIRMQUOTE_DATA_DIR || 'data', 'sandbox.json'));
}

/** @returns undefined when there is no such file */
export async function readSandbox(io: Io, path: string): Promise<SandboxFile | undefined> {
  let text: string;
  try {
    text = await readFile(resolve(io.cwd, path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new CliError(
      EXIT.unexpected,
      'sandbox_file_unusable',
      `${path} cannot be read: ${(error as Error).message}`,
    );
  }
  try {
    const value = JSON.parse(text) as Partial<SandboxFile>;
    if (typeof value.baseUrl === 'string' && isCredential(value.customer) && isCredential(value.operator))
      return value as SandboxFile;
  } catch {
    // What it holds is not quoted: it may be a secret.
  }
  throw new CliError(
    EXIT.unexpected,
    'sandbox_file_unusable',
    `${path} is not a sandbox file.`,
    'Start the sandbox again (npm start); it writes the file again.',
  );
}

function isCredential(value: Credential | undefined): boolean {
  return typeof value?.clientId === 'string' && typeof value.clientSecret === 'string';
}
