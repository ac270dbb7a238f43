import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { PrivateJwk } from '@firmquote/client';
import { CliError, usage } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { keyFromFile, keyOf } from './private-key.ts';
import { type Environment, type Kind, type Profile, Profiles } from './profiles.ts';
import { readSandbox } from './sandbox-file.ts';

/** What a call needs to know, and where each part of it came from. */
export interface Settings {
  /** Undefined where everything came from the environment. */
  readonly profile: string | undefined;
  readonly baseUrl: string;
  readonly authUrl: string | undefined;
  readonly audience: string | undefined;
  readonly credentials: Credentials | undefined;
  readonly kind: Kind | undefined;
  readonly environment: Environment | undefined;
  readonly operatorProfile: string | undefined;
  readonly from: { readonly baseUrl: string; readonly credentials: string };
}
export type Credentials =
  | { readonly of: 'secret'; readonly clientId: string; readonly secret: string }
  | { readonly of: 'key'; readonly clientId: string; readonly key: PrivateJwk }
  | { readonly of: 'token'; readonly token: string };

export interface Flags {
  readonly profile?: string | undefined;
  readonly baseUrl?: string | undefined;
}

const SIGN_IN = 'Sign in: firmquote login. With a sandbox on this machine: firmquote login --sandbox.';

/** The environment wins over the profile; a flag, over both. A profile's secret is never sent to another address than its own. */
export async function readSettings(io: Io, flags: Flags): Promise<Settings> {
  const env = (name: string) => (io.env[name] ?? '') || undefined;
  const profiles = new Profiles(io);
  const config = await profiles.read();
  const named = namedProfile(io, flags);
  const name = named ?? config.current;
  const profile =
    name !== undefined && Object.hasOwn(config.profiles, name) ? config.profiles[name] : undefined;
  if (named !== undefined && profile === undefined) throw noProfile(named, Object.keys(config.profiles));
  const fromEnvironment = await environmentCredentials(io, env);
  const given = flags.baseUrl ?? env('FIRMQUOTE_BASE_URL');
  const found = await profileAddresses(io, profile);
  const baseUrl = given ?? found?.baseUrl;
  if (baseUrl === undefined) {
    throw new CliError(EXIT.notAllowed, 'not_signed_in', 'No service is known yet.', SIGN_IN);
  }
  const isElsewhere = found !== undefined && originOf(baseUrl) !== originOf(found.baseUrl);
  // The secret of one service is none of another one's business, whatever variable was left behind in the shell.
  const credentials =
    fromEnvironment ?? (isElsewhere ? undefined : await profileCredentials(io, profiles, name, profile));
  const usesProfile = profile !== undefined && !isElsewhere;
  const authUrl = env('FIRMQUOTE_AUTH_URL') ?? (usesProfile ? found?.authUrl : undefined);
  return {
    profile: usesProfile || credentials === undefined ? name : undefined,
    baseUrl: checkedUrl(baseUrl),
    authUrl: authUrl === undefined ? undefined : checkedUrl(authUrl),
    audience: env('FIRMQUOTE_AUDIENCE') ?? (usesProfile ? found?.audience : undefined),
    credentials: credentials?.credentials,
    kind: fromEnvironment === undefined && usesProfile ? profile.kind : undefined,
    environment: usesProfile ? profile.environment : undefined,
    operatorProfile: fromEnvironment === undefined && usesProfile ? profile.operator : undefined,
    from: {
      baseUrl:
        flags.baseUrl !== undefined
          ? '--base-url'
          : given !== undefined
            ? 'FIRMQUOTE_BASE_URL'
            : `profile ${name}`,
      credentials:
        credentials?.from ?? (isElsewhere ? `none: profile ${name} is for ${found?.baseUrl}` : 'none'),
    },
  };
}

/** The profile that is named, whatever the current one is: also by commands that change profiles, or another one would be changed. */
export function namedProfile(io: Io, flags: Pick<Flags, 'profile'>): string | undefined {
  return flags.profile ?? (io.env.FIRMQUOTE_PROFILE || undefined);
}

interface Found {
  readonly credentials: Credentials;
  readonly from: string;
}

/** `FIRMQUOTE_TOKEN`, or a client id with a private key, with a secret, or with a file that holds one. */
async function environmentCredentials(
  io: Io,
  env: (name: string) => string | undefined,
): Promise<Found | undefined> {
  const token = env('FIRMQUOTE_TOKEN');
  if (token !== undefined) return { credentials: { of: 'token', token }, from: 'FIRMQUOTE_TOKEN' };
  const clientId = env('FIRMQUOTE_CLIENT_ID');
  const keyFile = env('FIRMQUOTE_PRIVATE_KEY_FILE');
  if (clientId !== undefined && keyFile !== undefined) {
    const key = await keyFromFile(io, keyFile, env('FIRMQUOTE_KEY_ID'));
    return { credentials: { of: 'key', clientId, key }, from: 'FIRMQUOTE_PRIVATE_KEY_FILE' };
  }
  const file = env('FIRMQUOTE_CLIENT_SECRET_FILE');
  const secret =
    env('FIRMQUOTE_CLIENT_SECRET') ?? (file === undefined ? undefined : await secretFile(io, file));
  if (clientId === undefined && secret === undefined && keyFile === undefined) return undefined;
  if (clientId === undefined || secret === undefined) {
    const missing = clientId === undefined ? 'FIRMQUOTE_CLIENT_ID' : 'FIRMQUOTE_CLIENT_SECRET';
    throw new CliError(
      EXIT.notAllowed,
      'credentials_incomplete',
      `The environment has half of the credentials: ${missing} is missing.`,
      `Set ${missing} too, or unset the other one to use a profile.`,
    );
  }
  return { credentials: { of: 'secret', clientId, secret }, from: 'FIRMQUOTE_CLIENT_ID' };
}

/** A secret from a file, without the line end. */
export async function secretFile(io: Io, path: string): Promise<string> {
  try {
    const secret = (await readFile(resolve(io.cwd, path), 'utf8')).trim();
    if (secret !== '') return secret;
  } catch (error) {
    throw usage(`The secret cannot be read from ${path}: ${(error as Error).message}`);
  }
  throw usage(`${path} holds no secret.`);
}

/** The addresses of a sandbox stand in its file, and change with its port. */
async function profileAddresses(
  io: Io,
  profile: Profile | undefined,
): Promise<Pick<Profile, 'baseUrl' | 'authUrl' | 'audience'> | undefined> {
  if (profile?.sandbox === undefined) return profile;
  return (await readSandbox(io, profile.sandbox.file)) ?? profile;
}

async function profileCredentials(
  io: Io,
  profiles: Profiles,
  name: string | undefined,
  profile: Profile | undefined,
): Promise<Found | undefined> {
  if (profile === undefined || name === undefined) return undefined;
  const from = `profile ${name}`;
  if (profile.sandbox !== undefined) {
    const { file, identity } = profile.sandbox;
    const found = (await readSandbox(io, file))?.[identity];
    if (found === undefined) {
      throw new CliError(
        EXIT.notAllowed,
        'sandbox_file_missing',
        `The sandbox's credentials are gone: ${file} has no “${identity}”.`,
        'Start the sandbox (npm start), then: firmquote login --sandbox.',
      );
    }
    return {
      credentials: { of: 'secret', clientId: found.clientId, secret: found.clientSecret },
      from: `${from} (${file})`,
    };
  }
  const { clientId, key } = profile;
  if (clientId !== undefined && key?.file !== undefined)
    return {
      credentials: { of: 'key', clientId, key: await keyFromFile(io, key.file, key.id) },
      from: `${from} (${key.file})`,
    };
  const secret = await profiles.secretOf(name);
  if (clientId === undefined || secret === undefined) return undefined;
  if (key !== undefined)
    return { credentials: { of: 'key', clientId, key: keyOf(secret, from, key.id) }, from };
  return { credentials: { of: 'secret', clientId, secret }, from };
}

function noProfile(name: string, known: readonly string[]): CliError {
  const next =
    known.length === 0
      ? SIGN_IN
      : `Profiles: ${known.join(', ')}. To create it: firmquote login --profile ${name}.`;
  return usage(`There is no profile “${name}”.`, next);
}

function originOf(url: string): string {
  try {
    return new URL(url).origin;
  } catch {
    return url;
  }
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** An address as it is used: without a slash at its end. Secrets travel over TLS, or stay on this machine. */
export function checkedUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw usage(`“${text}” is not a service address.`, 'For example https://fx.example.com.');
  }
  if (url.username !== '' || url.password !== '')
    throw usage('The address contains a password.', 'Take it out; firmquote login asks for credentials.');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.test(url.hostname))) {
    throw usage(
      `${url.origin} is not reached over TLS, and secrets are sent only over TLS.`,
      'Use https://, or http:// only on this machine (127.0.0.1).',
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

export function notSignedIn(settings: Settings): CliError {
  return new CliError(
    EXIT.notAllowed,
    'not_signed_in',
    `You are not signed in to ${settings.baseUrl} (credentials: ${settings.from.credentials}).`,
    SIGN_IN,
  );
}
