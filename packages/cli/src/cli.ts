import type { Kind } from './config/profiles.ts';
import { notSignedIn, readSettings, type Settings } from './config/settings.ts';
import { parseDuration } from './duration.ts';
import { CliError, interrupted, usage } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import { canAsk, type Io, write } from './io.ts';
import { type Format, Printer, readFormat } from './output/printer.ts';
import { safeLines } from './output/safe-text.ts';
import { confirmByTyping } from './prompt.ts';
import type { Service } from './service.ts';

/** Flags of every command. */
export interface GlobalOptions {
  readonly output?: string;
  readonly fields?: string;
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly yes?: boolean;
  readonly idempotencyKey?: string;
  readonly timeout?: string;
  readonly dryRun?: boolean;
  readonly debug?: boolean;
  readonly quiet?: boolean;
  readonly color?: boolean;
}

/** One run of one command: what it was told, where it writes, the service that it talks to. */
export class Cli {
  readonly io: Io;
  readonly options: GlobalOptions;
  readonly print: Printer;
  readonly timeoutMs: number | undefined;
  #settings: Promise<Settings> | undefined;
  readonly #services = new Map<Kind | 'own', Promise<Service>>();

  constructor(io: Io, options: GlobalOptions) {
    this.io = io;
    this.options = options;
    this.timeoutMs = options.timeout === undefined ? undefined : parseDuration(options.timeout, '--timeout');
    if (this.timeoutMs === 0) throw usage('--timeout must be greater than zero.');
    this.print = new Printer(io, {
      format: formatOf(io, options),
      fields: options.fields
        ?.split(',')
        .map((path) => path.trim())
        .filter((path) => path !== ''),
      color: options.color !== false,
    });
  }

  settings(): Promise<Settings> {
    this.#settings ??= readSettings(this.io, this.options);
    return this.#settings;
  }

  /**
   * The service, as somebody who is signed in. What only operators may do is done by the operator of a sandbox profile,
   * which has one.
   */
  service(audience?: Kind): Promise<Service> {
    const key = audience ?? 'own';
    let service = this.#services.get(key);
    if (service === undefined) {
      service = this.#open(audience);
      this.#services.set(key, service);
    }
    return service;
  }

  async #open(audience: Kind | undefined): Promise<Service> {
    const { openService } = await import('./service.ts');
    const own = await this.settings();
    const other = audience === 'operator' && own.kind === 'customer' ? own.operatorProfile : undefined;
    const settings = other === undefined ? own : await readSettings(this.io, { profile: other });
    return openService(this, settings);
  }

  /** Whether a customer or an operator is signed in. */
  async kind(): Promise<Kind> {
    const settings = await this.settings();
    return settings.kind ?? (await this.service()).kind();
  }

  /** For people, on stderr; `--quiet` is silent. */
  async note(text: string): Promise<void> {
    if (this.options.quiet !== true) await write(this.io.stderr, `${safeLines(text)}\n`);
  }

  /** A line that is written over and over while something goes on; undefined where nobody watches. */
  progress(): { show(text: string): void; end(): void } | undefined {
    const { stderr, env } = this.io;
    if (stderr.isTTY !== true || this.options.quiet === true || env.TERM === 'dumb') return undefined;
    return {
      show: (text) => void write(stderr, `\r\u001b[K${text}`),
      end: () => void write(stderr, '\r\u001b[K'),
    };
  }

  /** Before what changes the books of a production service. */
  async confirmWrite(what: string, settings: Settings, environment: string): Promise<void> {
    if (environment !== 'production' || this.options.yes === true || this.options.dryRun === true) return;
    const { host } = new URL(settings.baseUrl);
    if (!canAsk(this.io)) {
      throw usage(
        `${what} changes a production service (${host}), and nobody is there to confirm.`,
        'Pass --yes to confirm.',
      );
    }
    if (await confirmByTyping(this.io, `${what}: this is production, ${host}.`, host)) return;
    throw interrupted('Nothing was done.');
  }

  /** Credentials, or how to get some. */
  requireCredentials(settings: Settings): NonNullable<Settings['credentials']> {
    if (settings.credentials === undefined) throw notSignedIn(settings);
    return settings.credentials;
  }
}

function formatOf(io: Io, options: GlobalOptions): Format | undefined {
  if (options.output !== undefined) return readFormat(options.output, '--output');
  const fromEnvironment = io.env.FIRMQUOTE_OUTPUT ?? '';
  return fromEnvironment === '' ? undefined : readFormat(fromEnvironment, 'FIRMQUOTE_OUTPUT');
}

export function unexpected(message: string, next?: string): CliError {
  return new CliError(EXIT.unexpected, 'unexpected', message, next);
}
