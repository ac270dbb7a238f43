import { resolve } from 'node:path';
import type { Cli } from '../cli.ts';
import { keyFromFile, keyOf } from '../config/private-key.ts';
import { type Kind, type Profile, Profiles, SANDBOX_IDENTITIES } from '../config/profiles.ts';
import { readSandbox, type SandboxFile, usualSandboxFile } from '../config/sandbox-file.ts';
import { type Credentials, checkedUrl, namedProfile, type Settings, secretFile } from '../config/settings.ts';
import { CliError, usage } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Register } from '../kit.ts';
import type { Values } from '../operations/flags.ts';
import { askSecret, askText, secretFromStdin } from '../prompt.ts';
import { openService, type Service } from '../service.ts';

const HELP = `
login asks for the secret and does not show it. A program passes it on stdin (--secret-stdin) or in a file (--secret-file), or
needs no profile: FIRMQUOTE_BASE_URL, FIRMQUOTE_CLIENT_ID and FIRMQUOTE_CLIENT_SECRET override every profile. A client that
signs instead of sending a secret has a private key (private_key_jwt): on stdin, or in a file that only you can read and
that stays where it is; without a profile, FIRMQUOTE_PRIVATE_KEY_FILE names it.

  firmquote login --base-url https://fx.example.com --client-id cli_…
  pass show fx | firmquote login --profile live --base-url https://fx.example.com --client-id cli_… --secret-stdin
  firmquote login --base-url https://fx.example.com --client-id cli_… --key-file ~/.config/fx-key.pem
  firmquote login --sandbox`;

export const register: Register = (group, kit) => {
  group
    .option('--client-id <id>', 'Your OAuth client')
    .option('--secret-stdin', 'Read the secret from stdin')
    .option('--secret-file <file>', 'Read the secret from a file')
    .option('--key-file <file>', 'Sign with the private key in this file (JWK or PEM)')
    .option('--key-stdin', 'Read the private key from stdin')
    .option('--key-id <id>', 'Id of the key if the service knows several')
    .option('--auth-url <url>', 'Address that issues tokens if it is another one')
    .option('--audience <audience>', 'Audience of tokens if it is not the address')
    .option('--sandbox [file]', 'Sign in to the sandbox on this machine as its customer and its operators')
    .addHelpText('after', HELP)
    .action(
      kit.run(async (cli, _args, options) => {
        if (options.sandbox !== undefined) return signInToSandbox(cli, options.sandbox);
        await signIn(cli, options);
      }),
    );
};

async function signIn(cli: Cli, options: Values): Promise<void> {
  const { io } = cli;
  const name = namedProfile(io, cli.options) ?? 'default';
  const text = (flag: string, variable: string) =>
    typeof options[flag] === 'string' ? (options[flag] as string) : io.env[variable] || undefined;
  const baseUrl = checkedUrl(
    cli.options.baseUrl ??
      io.env.FIRMQUOTE_BASE_URL ??
      (await askText(io, 'Address of the service', 'Pass it: --base-url https://fx.example.com.')),
  );
  const clientId =
    text('clientId', 'FIRMQUOTE_CLIENT_ID') ??
    (await askText(io, 'Client id', 'Pass it: --client-id cli_….'));
  const proof = await proofOf(cli, options, clientId);
  const authUrl = text('authUrl', 'FIRMQUOTE_AUTH_URL');
  const audience = text('audience', 'FIRMQUOTE_AUDIENCE');
  const addresses = {
    baseUrl,
    ...(authUrl === undefined ? {} : { authUrl: checkedUrl(authUrl) }),
    ...(audience === undefined ? {} : { audience }),
  };
  const { kind, environment } = await tryOut(cli, addresses, proof.credentials);
  const profile: Profile = { ...addresses, clientId, ...proof.remembered, kind, environment };
  await new Profiles(io).save(name, profile, { ...proof.secret, makeCurrent: true });
  await cli.note(`Signed in to ${baseUrl} (${environment}) as ${kind} ${clientId}. Profile: ${name}.`);
  await cli.note(
    kind === 'customer' ? 'Next: firmquote quote --sell 1000 EUR --buy USD' : 'Next: firmquote doctor',
  );
}

/** What shows who asks, and what of it is kept where. */
interface Proof {
  readonly credentials: Credentials;
  readonly remembered: Pick<Profile, 'key'>;
  readonly secret: { readonly secret?: string };
}

async function proofOf(cli: Cli, options: Values, clientId: string): Promise<Proof> {
  const given = ['secretStdin', 'secretFile', 'keyStdin', 'keyFile'].filter(
    (name) => options[name] !== undefined,
  );
  if (given.length > 1)
    throw usage(
      'Credentials come from one place.',
      'Choose: --secret-stdin, --secret-file, --key-file, --key-stdin.',
    );
  const id = typeof options.keyId === 'string' ? options.keyId : undefined;
  const named = id === undefined ? {} : { id };
  if (typeof options.keyFile === 'string') {
    const key = await keyFromFile(cli.io, options.keyFile, id);
    const file = resolve(cli.io.cwd, options.keyFile);
    return { credentials: { of: 'key', clientId, key }, remembered: { key: { file, ...named } }, secret: {} };
  }
  if (options.keyStdin === true) {
    const key = keyOf(await secretFromStdin(cli.io), 'stdin', id);
    return {
      credentials: { of: 'key', clientId, key },
      remembered: { key: named },
      secret: { secret: JSON.stringify(key) },
    };
  }
  if (id !== undefined) throw usage('--key-id needs a key.', 'Add --key-file or --key-stdin.');
  const secret = await secretOf(cli, options);
  return { credentials: { of: 'secret', clientId, secret }, remembered: {}, secret: { secret } };
}

async function secretOf(cli: Cli, options: Values): Promise<string> {
  if (options.secretStdin === true) return secretFromStdin(cli.io);
  if (typeof options.secretFile === 'string') return secretFile(cli.io, options.secretFile);
  const { FIRMQUOTE_CLIENT_SECRET: secret, FIRMQUOTE_CLIENT_SECRET_FILE: file } = cli.io.env;
  if (secret) return secret;
  if (file) return secretFile(cli.io, file);
  return askSecret(
    cli.io,
    'Client secret',
    'Pipe it in with --secret-stdin, or name a file with --secret-file.',
  );
}

/** Nothing is remembered that does not work. */
async function tryOut(
  cli: Cli,
  { baseUrl, authUrl, audience }: Pick<Profile, 'baseUrl' | 'authUrl' | 'audience'>,
  credentials: Credentials,
): Promise<{ readonly kind: Kind; readonly environment: 'sandbox' | 'production' }> {
  const settings: Settings = {
    profile: undefined,
    ...{ baseUrl, authUrl, audience },
    credentials,
    ...{ kind: undefined, environment: undefined, operatorProfile: undefined },
    from: { baseUrl: 'login', credentials: 'login' },
  };
  const service: Service = openService(cli, settings);
  const kind = await service.kind();
  return { kind, environment: await service.environment() };
}

async function signInToSandbox(cli: Cli, given: unknown): Promise<void> {
  const path = typeof given === 'string' ? resolve(cli.io.cwd, given) : usualSandboxFile(cli.io);
  const found = await readSandbox(cli.io, path);
  if (found === undefined) {
    throw new CliError(
      EXIT.notAllowed,
      'sandbox_file_missing',
      `There is no sandbox here: ${path} is missing.`,
      'Start one (npm start) and run this in the same folder, or name the file: firmquote login --sandbox path/to/sandbox.json.',
    );
  }
  const name = cli.options.profile ?? 'sandbox';
  if (name.length > 40)
    throw usage('That name is too long for a sandbox: its operators get longer names made from it.');
  await tryOut(cli, found, credentialsOf(found.customer));
  const names = { customer: name, operator: `${name}-operator`, secondOperator: `${name}-second-operator` };
  const profiles = new Profiles(cli.io);
  for (const identity of SANDBOX_IDENTITIES) {
    const credential = found[identity];
    if (credential === undefined) continue;
    const profile: Profile = {
      ...addressesOf(found),
      clientId: credential.clientId,
      kind: identity === 'customer' ? 'customer' : 'operator',
      environment: 'sandbox',
      sandbox: { file: path, identity },
      ...(identity === 'customer' ? { operator: names.operator } : {}),
    };
    await profiles.save(names[identity], profile, { makeCurrent: identity === 'customer' });
  }
  await cli.note(
    `Signed in to the sandbox ${found.baseUrl} as its customer. Profile: ${name}; operator commands use ${names.operator}.`,
  );
  await cli.note('Next: firmquote quote --sell 100k EUR --buy USD');
}

function addressesOf({ baseUrl, authUrl, audience }: SandboxFile) {
  return { baseUrl, authUrl, audience };
}

function credentialsOf({ clientId, clientSecret }: SandboxFile['customer']): Credentials {
  return { of: 'secret', clientId, secret: clientSecret };
}
