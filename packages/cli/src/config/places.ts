import { join } from 'node:path';
import type { Io } from '../io.ts';

/** Where the command keeps things; empty where there is no place for them. */
export interface Places {
  /** Profiles: addresses, client ids, no secret. */
  readonly config: string;
  /** Secrets of the profiles. */
  readonly secrets: string;
  /** Tokens that are still good. */
  readonly tokens: string;
}

export function placesOf(io: Io): Places {
  const config = baseFolder(io, 'XDG_CONFIG_HOME', '.config');
  return {
    config: inFolder(config, 'config.json'),
    secrets: inFolder(config, 'secrets.json'),
    tokens: inFolder(baseFolder(io, 'XDG_CACHE_HOME', '.cache'), 'tokens.json'),
  };
}

function inFolder(folder: string, name: string): string {
  return folder === '' ? '' : join(folder, 'firmquote', name);
}

const ABSOLUTE = /^(\/|[A-Za-z]:[\\/]|\\\\)/;

/** A relative path is to be ignored, says the XDG specification. */
function baseFolder(io: Io, variable: string, name: string): string {
  const given = io.env[variable] ?? '';
  if (ABSOLUTE.test(given)) return given;
  // Below a home that is empty or relative, secrets would lie in whatever folder the command is run.
  return ABSOLUTE.test(io.home) ? join(io.home, name) : '';
}
