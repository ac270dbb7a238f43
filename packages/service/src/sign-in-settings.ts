import { readSecret, tokenSettings } from './secret-settings.ts';
import {
  ConfigError,
  type Environment,
  oneOf,
  quoted,
  readSetting,
  required,
  setting,
  text,
  wholeNumber,
} from './setting.ts';
import { httpUrl, isOnThisMachine } from './setting-values.ts';

/** Without TLS anybody on the way could let itself in, except on this machine. */
function issuerUrl(value: string, name: string): string {
  const url = new URL(httpUrl(value, name));
  if (url.protocol === 'http:' && !isOnThisMachine(url))
    throw new ConfigError(`${name} must begin with https://.`);
  return value;
}

/** `group=role+role,group=role` */
function rolesByGroup(value: string, name: string): ReadonlyMap<string, readonly string[]> {
  const entries = value.split(',').map((entry): [string, string[]] => {
    const at = entry.lastIndexOf('=');
    const group = entry.slice(0, at).trim();
    const roles = entry
      .slice(at + 1)
      .split('+')
      .map((role) => role.trim());
    if (at < 1 || group === '' || !roles.every((role) => /^[a-z][a-z0-9-]{0,39}$/.test(role)))
      throw new ConfigError(
        `${name} must be group=role, several roles with +, comma separated, not ${quoted(entry)}.`,
      );
    return [group, roles];
  });
  const groups = entries.map(([group]) => group);
  const twice = groups.find((group, at) => groups.indexOf(group) !== at);
  // The roles of one of the two would be lost without a word.
  if (twice !== undefined)
    throw new ConfigError(`${name} names the group ${quoted(twice)} twice. Join its roles with +.`);
  return new Map(entries);
}

/** How persons sign in, and how long that is good for. */
export const SIGN_IN_SETTINGS = {
  FIRMQUOTE_SESSION_IDLE_MINUTES: setting(
    "Minutes without a request after which a person's session ends; not longer than `FIRMQUOTE_SESSION_HOURS`.",
    '720',
    wholeNumber(1, 10_080),
  ),
  FIRMQUOTE_SESSION_HOURS: setting(
    "Hours after which a person's session ends, even if it is in use.",
    '24',
    wholeNumber(1, 720),
  ),
  FIRMQUOTE_FRESH_SIGN_IN_MINUTES: setting(
    'Minutes after sign-in in which a person may move money or grant access; then the person signs in again.',
    '15',
    wholeNumber(1, 1_440),
  ),
  FIRMQUOTE_PASSKEYS: setting(
    '`on` or `off`: whether people sign in with passkeys. Default: `on` without an identity provider, `off` with one.',
    undefined,
    oneOf('on', 'off'),
  ),
  FIRMQUOTE_INVITATION_HOURS: setting(
    'Hours for which an invitation link is valid.',
    '72',
    wholeNumber(1, 720),
  ),
  FIRMQUOTE_OIDC_ISSUER: setting(
    'Issuer of the OpenID Connect provider that people sign in with; see `docs/people.md`. Default: none.',
    undefined,
    issuerUrl,
  ),
  FIRMQUOTE_OIDC_CLIENT_ID: setting('Client id of the service at the provider.', undefined, text),
  ...tokenSettings('FIRMQUOTE_OIDC_CLIENT_SECRET', 'Client secret of the service at the provider.'),
  FIRMQUOTE_OIDC_NAME: setting('Name of the provider on the sign-in page.', 'your company', text),
  FIRMQUOTE_OIDC_SCOPES: setting('Scopes to request from the provider.', 'openid email profile', text),
  FIRMQUOTE_OIDC_GROUPS_CLAIM: setting('Claim with the groups of a person.', 'groups', text),
  FIRMQUOTE_OIDC_ROLES: setting(
    'Roles by group, as `group=role+role,group=role`. With it the groups decide at each sign-in, and people in none of them are refused. Default: operators set the roles, and only known people may sign in.',
    undefined,
    rolesByGroup,
  ),
} as const;

/** How the service is known at a provider, and what that says of people. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Read anew each time. */
  readonly clientSecret: () => string;
  readonly name: string;
  readonly scopes: string;
  readonly groupsClaim: string;
  readonly roles: ReadonlyMap<string, readonly string[]> | undefined;
}

/** @throws ConfigError when only a part of it is set */
export function readProviderSettings(environment: Environment): ProviderSettings | undefined {
  const s = SIGN_IN_SETTINGS;
  const issuer = readSetting(environment, 'FIRMQUOTE_OIDC_ISSUER', s.FIRMQUOTE_OIDC_ISSUER);
  const clientId = readSetting(environment, 'FIRMQUOTE_OIDC_CLIENT_ID', s.FIRMQUOTE_OIDC_CLIENT_ID);
  const clientSecret = readSecret(environment, 'FIRMQUOTE_OIDC_CLIENT_SECRET', s);
  if (issuer === undefined && clientId === undefined && clientSecret === undefined) return undefined;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) {
    throw new ConfigError(
      'FIRMQUOTE_OIDC_ISSUER, FIRMQUOTE_OIDC_CLIENT_ID and FIRMQUOTE_OIDC_CLIENT_SECRET or its file must be set together.',
    );
  }
  return {
    issuer,
    clientId,
    clientSecret,
    name: required(environment, 'FIRMQUOTE_OIDC_NAME', s.FIRMQUOTE_OIDC_NAME),
    scopes: required(environment, 'FIRMQUOTE_OIDC_SCOPES', s.FIRMQUOTE_OIDC_SCOPES),
    groupsClaim: required(environment, 'FIRMQUOTE_OIDC_GROUPS_CLAIM', s.FIRMQUOTE_OIDC_GROUPS_CLAIM),
    roles: readSetting(environment, 'FIRMQUOTE_OIDC_ROLES', s.FIRMQUOTE_OIDC_ROLES),
  };
}

/** Never in place of a provider: where a company has one, it says so itself. */
export function readPasskeys(environment: Environment, hasProvider: boolean): boolean {
  const set = readSetting(environment, 'FIRMQUOTE_PASSKEYS', SIGN_IN_SETTINGS.FIRMQUOTE_PASSKEYS);
  return set === undefined ? !hasProvider : set === 'on';
}

/** Milliseconds. */
export interface SessionSettings {
  readonly idleMs: number;
  readonly lastsMs: number;
  readonly freshMs: number;
  /** How long a link that invites a person is good. */
  readonly invitationMs: number;
}

export function readSessionSettings(environment: Environment): SessionSettings {
  const s = SIGN_IN_SETTINGS;
  const number = (
    name:
      | 'FIRMQUOTE_SESSION_IDLE_MINUTES'
      | 'FIRMQUOTE_SESSION_HOURS'
      | 'FIRMQUOTE_FRESH_SIGN_IN_MINUTES'
      | 'FIRMQUOTE_INVITATION_HOURS',
  ) => required(environment, name, s[name]);
  const idleMs = number('FIRMQUOTE_SESSION_IDLE_MINUTES') * 60_000;
  const hours = number('FIRMQUOTE_SESSION_HOURS');
  const lastsMs = hours * 3_600_000;
  // Whoever has only shortened sessions has not asked for the default of the other.
  if (idleMs > lastsMs && environment.FIRMQUOTE_SESSION_IDLE_MINUTES !== undefined)
    throw new ConfigError(
      `FIRMQUOTE_SESSION_IDLE_MINUTES must not be longer than FIRMQUOTE_SESSION_HOURS (${hours}), after which a session ends whether it is in use or not.`,
    );
  return {
    idleMs: Math.min(idleMs, lastsMs),
    lastsMs,
    freshMs: number('FIRMQUOTE_FRESH_SIGN_IN_MINUTES') * 60_000,
    invitationMs: number('FIRMQUOTE_INVITATION_HOURS') * 3_600_000,
  };
}
