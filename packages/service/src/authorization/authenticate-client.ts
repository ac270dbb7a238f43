import type { Pool } from '../database/pool.ts';
import { parseTypeId, typeId } from '../platform/ids.ts';
import { assertedClientId, verifyAssertion } from './client-assertion.ts';
import { IpAllowList } from './ip-allow-list.ts';
import { invalidClient, OAuthError } from './oauth-error.ts';
import { secretMatches } from './secrets.ts';
import type { Credentials } from './token-request.ts';
import { type AuthenticatingClient, readAuthenticatingClient, useAssertion } from './token-store.ts';

export interface ClientAuthentication {
  readonly pool: Pool;
  /** Issuer and token endpoint: what an assertion may be addressed to. */
  readonly assertionAudiences: () => readonly string[];
}

/**
 * Establishes which client calls the token endpoint.
 * @param now real time, epoch milliseconds
 * @throws OAuthError invalid_client
 */
export async function authenticateClient(
  authentication: ClientAuthentication,
  credentials: Credentials,
  address: string,
  now: number,
): Promise<AuthenticatingClient> {
  const claimed = claimedClientOf(credentials);
  const id = claimed === undefined ? undefined : parseTypeId('cli', claimed);
  try {
    if (credentials.clientId !== undefined && credentials.clientId !== claimed) throw invalidClient();
    return await provenClient(authentication, credentials, id, address, now);
  } catch (error) {
    if (error instanceof OAuthError && id !== undefined) error.clientId = claimed;
    throw error;
  }
}

/** Who the credentials say that they are of, proven or not. */
export function claimedClientOf(credentials: Credentials): string | undefined {
  return credentials.method === 'secret' ? credentials.clientId : assertedClientId(credentials.assertion);
}

/** @param id of the client that the credentials claim to be, where it has the form of one */
async function provenClient(
  { pool, assertionAudiences }: ClientAuthentication,
  credentials: Credentials,
  id: string | undefined,
  address: string,
  now: number,
): Promise<AuthenticatingClient> {
  const client = id === undefined ? undefined : await readAuthenticatingClient(pool, id, now);

  if (credentials.method === 'secret') {
    // Compared for unknown clients too: an answer takes the same time whether or not the client exists.
    const matches = secretMatches(credentials.secret, client?.secretHashes ?? []);
    if (!matches || client === undefined) throw invalidClient();
    refuseInactive(client, address);
    return client;
  }

  if (client === undefined) throw invalidClient();
  const identity = { clientId: typeId('cli', client.id), keys: client.keys };
  const assertion = await verifyAssertion(credentials.assertion, identity, assertionAudiences(), now);
  refuseInactive(client, address);
  if (!(await useAssertion(pool, client.id, assertion.jti, assertion.usableUntil))) {
    throw new OAuthError('invalid_client', 'Client assertion refused: its jti was used before.');
  }
  return client;
}

/** Only after the proof: whoever learns about the allow-list is the client itself. */
function refuseInactive(client: AuthenticatingClient, address: string): void {
  if (!client.active) throw invalidClient();
  if (!new IpAllowList(client.ipAllowList).allows(address)) {
    throw new OAuthError('invalid_client', `The address ${address} is not on the allow-list of the client.`);
  }
}
