import { type ConfigFile, Profiles } from '../config/profiles.ts';
import { checkedUrl, namedProfile, notSignedIn } from '../config/settings.ts';
import { TokenFile } from '../config/token-file.ts';
import { usage } from '../errors.ts';
import type { Register } from '../kit.ts';

export const logout: Register = (group, kit) => {
  group.option('--all', 'Forget all profiles').action(
    kit.run(async (cli, _args, { all }) => {
      const profiles = new Profiles(cli.io);
      const config = await profiles.read();
      const names =
        all === true
          ? Object.keys(config.profiles)
          : [namedProfile(cli.io, cli.options) ?? config.current].filter((name) => name !== undefined);
      if (names.length === 0)
        throw usage('There is no profile to forget.', 'firmquote config list shows them.');
      for (const name of names) {
        const clientId = config.profiles[name]?.clientId;
        if (!(await profiles.remove(name)))
          throw usage(`There is no profile “${name}”.`, 'firmquote config list shows them.');
        if (clientId !== undefined) await new TokenFile(cli.io).forget(clientId);
        await cli.note(
          `Forgot ${name} with its secret and token. The credentials themselves still work; revoke them if they should not.`,
        );
      }
      if (all === true) await new TokenFile(cli.io).forget();
    }),
  );
};

export const whoami: Register = (group, kit) => {
  group.action(
    kit.run(async (cli) => {
      const settings = await cli.settings();
      if (settings.credentials === undefined) throw notSignedIn(settings);
      const service = await cli.service();
      const { sub, client_id: clientId, scope, exp, customer_id: customerId } = await service.claims();
      const kind = await service.kind();
      await cli.print.one({
        clientId:
          clientId ?? (settings.credentials.of === 'token' ? undefined : settings.credentials.clientId),
        kind,
        ...(typeof customerId === 'string'
          ? { customerId }
          : typeof sub === 'string' && sub !== clientId
            ? { subject: sub }
            : {}),
        profile: settings.profile ?? null,
        baseUrl: settings.baseUrl,
        environment: await service.environment(),
        scopes: typeof scope === 'string' ? scope.split(' ') : [],
        credentialsFrom: settings.from.credentials,
        baseUrlFrom: settings.from.baseUrl,
        tokenExpiresAt: typeof exp === 'number' ? new Date(exp * 1_000).toISOString() : null,
      });
    }),
  );
};

/** What can be set without signing in again. */
const SETTABLE = ['base-url', 'auth-url', 'audience', 'operator'] as const;

const listCommand: Register = (group, kit) => {
  group
    .command('list')
    .description('List the profiles')
    .action(
      kit.run(async (cli) => {
        const { current, profiles } = await new Profiles(cli.io).read();
        const rows = Object.entries(profiles).map(([name, { baseUrl, clientId, kind, environment }]) => ({
          profile: name,
          current: name === current,
          ...{ baseUrl, kind, environment, clientId },
        }));
        await cli.print.many(rows, { empty: 'There are no profiles. Sign in: firmquote login' });
      }),
    );
};

const useCommand: Register = (group, kit) => {
  group
    .command('use')
    .argument('<profile>')
    .description('Use this profile from now on')
    .action(
      kit.run(async (cli, [name]) => {
        const profiles = new Profiles(cli.io);
        const found = await profiles.read();
        if (!Object.hasOwn(found.profiles, String(name)))
          throw usage(
            `There is no profile “${String(name)}”.`,
            `Profiles: ${Object.keys(found.profiles).join(', ') || 'none'}.`,
          );
        await profiles.write({ ...found, current: String(name) });
        await cli.note(`Current profile: ${String(name)}.`);
      }),
    );
};

const getCommand: Register = (group, kit) => {
  group
    .command('get')
    .argument('[name]', SETTABLE.join(', '))
    .description('Show the settings of a profile')
    .action(
      kit.run(async (cli, [name]) => {
        const profiles = new Profiles(cli.io);
        const found = await profiles.read();
        const shown = shownOf(
          found,
          namedProfile(cli.io, cli.options) ?? found.current,
          profiles.places.config,
        );
        if (name === undefined) return cli.print.one(shown);
        if (!(SETTABLE as readonly string[]).includes(String(name)))
          throw usage(`There is no setting “${String(name)}”.`, `Settings: ${SETTABLE.join(', ')}.`);
        await cli.print.raw(`${shown[memberOf(String(name))] ?? ''}\n`);
      }),
    );
};

const setCommand: Register = (group, kit) => {
  group
    .command('set')
    .argument('<name>', SETTABLE.join(', '))
    .argument('<value>', 'An empty value ("") removes it')
    .description('Change a setting of a profile')
    .action(
      kit.run(async (cli, [name, value]) => {
        const profiles = new Profiles(cli.io);
        await profiles.write(
          changed(await profiles.read(), namedProfile(cli.io, cli.options), String(name), String(value)),
        );
      }),
    );
};

export const config: Register = (group, kit) => {
  listCommand(group, kit);
  useCommand(group, kit);
  getCommand(group, kit);
  setCommand(group, kit);
};

const memberOf = (name: string) => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function shownOf(
  config: ConfigFile,
  name: string | undefined,
  file: string,
): Readonly<Record<string, unknown>> {
  const profile = name === undefined ? undefined : config.profiles[name];
  return { file, profile: name ?? null, ...profile };
}

function changed(config: ConfigFile, given: string | undefined, name: string, value: string): ConfigFile {
  if (!(SETTABLE as readonly string[]).includes(name))
    throw usage(
      `There is no setting “${name}”.`,
      `Settings: ${SETTABLE.join(', ')}. Credentials are set by firmquote login.`,
    );
  const profileName = given ?? config.current;
  const profile = profileName === undefined ? undefined : config.profiles[profileName];
  if (profileName === undefined || profile === undefined)
    throw usage('There is no profile to change.', 'Sign in: firmquote login.');
  if (name === 'operator' && value !== '' && !Object.hasOwn(config.profiles, value))
    throw usage(`There is no profile “${value}”.`);
  if (
    name === 'base-url' &&
    (value === '' || new URL(checkedUrl(value)).origin !== new URL(profile.baseUrl).origin)
  ) {
    throw usage(
      'Another service needs other credentials.',
      `Sign in to it: firmquote login --profile ${profileName} --base-url …`,
    );
  }
  const others = Object.entries(profile).filter(([each]) => each !== memberOf(name));
  const next = Object.fromEntries(
    value === '' ? others : [...others, [memberOf(name), name.endsWith('-url') ? checkedUrl(value) : value]],
  );
  return {
    ...config,
    profiles: { ...config.profiles, [profileName]: next as ConfigFile['profiles'][string] },
  };
}
