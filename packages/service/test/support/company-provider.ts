import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { ORIGIN } from '../../src/people/test-support.ts';

/** The identity provider of a company, and who is known there. */

export const CLIENT = { clientId: 'firmquote', clientSecret: () => 'a secret of the service' };

export async function listening(handler: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => void server.close());
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Who is known at the company, by login. */
const accounts = new Map<
  string,
  { email: string; email_verified: boolean | string; name: string; groups: string[] }
>();

export function hire(
  login: string,
  groups: string[],
  more: { email?: string; email_verified?: boolean | string } = {},
): void {
  accounts.set(login, {
    email: `${login}@example.com`,
    email_verified: true,
    name: `The ${login}`,
    groups,
    ...more,
  });
}

/** A real provider, with the pages for signing in that it brings along. */
export async function startCompanyProvider(): Promise<string> {
  // It brings no types; what is used of it is told here.
  const library: string = 'oidc-provider';
  const { Provider } = (await import(library)) as {
    Provider: new (issuer: string, options: object) => { callback(): RequestListener };
  };
  let handle: RequestListener = () => undefined;
  const { url } = await listening((request, response) => handle(request, response));
  const provider = new Provider(url, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret(),
        redirect_uris: [`${ORIGIN}/auth/oidc/callback`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id, ...accounts.get(id) }),
    }),
    pkce: { required: () => true },
    cookies: { keys: ['a key of the test'] },
  });
  handle = provider.callback();
  return url;
}
