import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../config.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { GatewayProcess, isGatewayInstalled } from '../fix/gateway-process.ts';
import { readSessionFile } from '../fix/session-file.ts';
import { FixSource } from './fix.ts';

/** What FIX sessions need beyond other sources. */
export interface FixContext {
  /** The setting FIRMQUOTE_FIX_SESSIONS. */
  readonly file: string | undefined;
  readonly dataDir: string;
  /** An environment variable that the session file names. */
  readonly secret: (name: string) => string | undefined;
}

const SETTING = 'FIRMQUOTE_SOURCES';

/**
 * A source for each `fix:<session>`, all in one gateway process.
 * @throws ConfigError with one line: no session file, an unknown or repeated session, a gateway that is not installed
 */
export function createFixSources(
  names: readonly string[],
  fix: FixContext | undefined,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): FixSource[] {
  if (names.length === 0) return [];
  if (fix?.file === undefined) {
    throw new ConfigError(
      `${SETTING} names fix:${names[0]}, so FIRMQUOTE_FIX_SESSIONS must name the session file.`,
    );
  }
  const sessions = readSessionFile(fix.file, fix.secret);
  const chosen = names.map((name, index) => {
    const settings = sessions.get(name);
    if (settings === undefined) throw new ConfigError(`${SETTING}: ${fix.file} has no session "${name}".`);
    if (names.indexOf(name) !== index) throw new ConfigError(`${SETTING} names fix:${name} twice.`);
    return settings;
  });
  if (!isGatewayInstalled()) {
    throw new ConfigError(
      `${SETTING} names fix:${names[0]}, and the FIX gateway is not installed: run "node scripts/setup-fix.mjs".`,
    );
  }
  const gateway = new GatewayProcess({ folder: folderIn(fix.dataDir), logger });
  return chosen.map((settings) => new FixSource({ settings, gateway, clock, logger }));
}

/** Where the sequence numbers are kept. */
function folderIn(dataDir: string): string {
  const folder = join(dataDir, 'fix');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : String(error);
    throw new ConfigError(`FIRMQUOTE_DATA_DIR: the folder ${folder} cannot be created (${code}).`, {
      cause: error,
    });
  }
}
