import { join } from 'node:path';
import type { Io } from '../io.ts';

/** Where the command keeps things. */
export interface Places {
  /** Profiles: addresses, client ids, no secret. */
  readonly config: string;
  /** Secrets of the profiles. */
  readonly secrets: string;
  /** Tokens that are still good. */
  readonly tokens: string;
}

export function placesOf(io: Io): Places {
  const config = join(baseFolder(io, 'XDG_CONFIG_HOME', '.config'), 'firmquote');
  const cache = join(baseFolder(io, 'XDG_CACHE_HOME', '.cache'), 'firmquote');
  return {
    config: join(config, 'config.json'),
    secrets: join(config, 'secrets.json'),
    tokens: join(cache, 'tokens.json'),
  };
}

/** A relative path is to be ignored, says the XDG specification. */
function baseFolder(io: Io, variable: string, name: string): string {
  const given = io.env[variable] ?? '';
  return given.startsWith('/') || /^[A-Za-z]:[\\/]/.test(given) ? given : join(io.home, name);
}
