import { lookup } from 'node:dns/promises';
import type { FastifyInstance } from 'fastify';
import { ConfigError, type ListenAddress } from '../config.ts';

/** What hinders listening, as what to change. */
export async function explainedListening<T>(
  listening: Promise<T>,
  { host, port }: ListenAddress,
  [hostSetting, portSetting]: readonly [string, string],
): Promise<T> {
  try {
    return await listening;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new Error(`${portSetting}: ${port} on ${host} is in use.`, { cause: error });
    if (code === 'EACCES')
      throw new ConfigError(`${portSetting}: ${port} needs rights that this user does not have.`, {
        cause: error,
      });
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      throw new ConfigError(`${hostSetting}: ${host} is not an address of this machine.`, { cause: error });
    throw error;
  }
}

/** The names of the settings that say where callers and, apart from them, operators are served. */
export const LISTEN_SETTINGS = ['FIRMQUOTE_HOST', 'FIRMQUOTE_PORT'] as const;
export const INSIDE_LISTEN_SETTINGS = ['FIRMQUOTE_OPERATOR_LISTEN', 'FIRMQUOTE_OPERATOR_LISTEN'] as const;

/** At one address: for `localhost` Fastify would add a server of its own for each other one that it has, without limits and guards. */
export async function listenAt(app: FastifyInstance, { host, port }: ListenAddress): Promise<void> {
  const at = host === 'localhost' ? (await lookup(host)).address : host;
  await app.listen({ host: at, port });
}
