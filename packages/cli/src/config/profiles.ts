import { usage } from '../errors.ts';
import type { Io } from '../io.ts';
import { type Places, placesOf } from './places.ts';
import { readPrivateJson, writePrivateJson } from './private-files.ts';

export type Environment = 'sandbox' | 'production';
/** Whose OAuth client it is. */
export type Kind = 'customer' | 'operator';
export const SANDBOX_IDENTITIES = ['customer', 'operator', 'secondOperator'] as const;
export type SandboxIdentity = (typeof SANDBOX_IDENTITIES)[number];

/** Where to sign in, and as whom. */
export interface Profile {
  readonly baseUrl: string;
  /** Where tokens are given out; the same as `baseUrl` unless it says otherwise. */
  readonly authUrl?: string;
  readonly audience?: string;
  readonly clientId?: string;
  /** It signs with a key instead of showing a secret. Where no file is named, the key is kept as secrets are. */
  readonly key?: { readonly file?: string; readonly id?: string };
  readonly kind?: Kind;
  readonly environment?: Environment;
  /** The credentials stand in a file that a sandbox has written, under one of its names. */
  readonly sandbox?: { readonly file: string; readonly identity: SandboxIdentity };
  /** Profile for what only operators may do; a sandbox has both. */
  readonly operator?: string;
}

export interface ConfigFile {
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** The profiles and their secrets, in two files. */
export class Profiles {
  readonly places: Places;
  readonly #platform: string;

  constructor(io: Io) {
    this.places = placesOf(io);
    this.#platform = io.platform;
  }

  async read(): Promise<ConfigFile> {
    const found = (await readPrivateJson(this.places.config, this.#platform)) ?? {};
    return { ...found, profiles: (found.profiles ?? {}) as Record<string, Profile> };
  }

  async write(config: ConfigFile): Promise<void> {
    await writePrivateJson(this.places.config, config);
  }

  async save(
    name: string,
    profile: Profile,
    options: { readonly secret?: string; readonly makeCurrent: boolean },
  ): Promise<void> {
    checkName(name);
    const config = await this.read();
    await this.#saveSecret(name, options.secret);
    await this.write({
      ...config,
      ...(options.makeCurrent ? { current: name } : {}),
      profiles: { ...config.profiles, [name]: profile },
    });
  }

  /** @returns whether there was one */
  async remove(name: string): Promise<boolean> {
    const config = await this.read();
    if (!Object.hasOwn(config.profiles, name)) return false;
    await this.#saveSecret(name, undefined);
    const profiles = Object.fromEntries(Object.entries(config.profiles).filter(([each]) => each !== name));
    const { current, ...rest } = config;
    await this.write({
      ...rest,
      ...(current === name || current === undefined ? {} : { current }),
      profiles,
    });
    return true;
  }

  async secretOf(name: string): Promise<string | undefined> {
    const secrets = (await readPrivateJson(this.places.secrets, this.#platform)) ?? {};
    const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
    return typeof secret === 'string' ? secret : undefined;
  }

  async #saveSecret(name: string, secret: string | undefined): Promise<void> {
    const known = await readPrivateJson(this.places.secrets, this.#platform);
    const others = Object.entries(known ?? {}).filter(([each]) => each !== name);
    if (secret === undefined && known === undefined) return;
    await writePrivateJson(
      this.places.secrets,
      Object.fromEntries(secret === undefined ? others : [...others, [name, secret]]),
    );
  }
}

export function checkName(name: string): void {
  if (NAME.test(name)) return;
  throw usage(
    `“${name}” is not a profile name.`,
    'Names have letters, digits, “.”, “_” and “-”, for example “acme-live”.',
  );
}
