/** What a setting is. The settings themselves are in config.ts. */
export interface Setting<T> {
  readonly meaning: string;
  readonly default: string | undefined;
  readonly parse: (text: string, name: string) => T;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A wrong setting. The message is one line and names the variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export function setting<T>(
  meaning: string,
  fallback: string | undefined,
  parse: Setting<T>['parse'],
): Setting<T> {
  return { meaning, default: fallback, parse };
}

export function text(value: string, name: string): string {
  if (value.trim() === '') throw new ConfigError(`${name} must not be empty.`);
  return value;
}

/** The value of a setting, or its default; undefined without either. Throws ConfigError on a wrong one. */
export function readSetting<T>(environment: Environment, name: string, entry: Setting<T>): T | undefined {
  const given = environment[name] ?? entry.default;
  return given === undefined ? undefined : entry.parse(given, name);
}
