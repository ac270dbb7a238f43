import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

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

/** What a setting names gives no value now, and may a moment later: no mistake of whoever has set it. One line, too. */
export class SettingUnavailable extends Error {
  override readonly name = 'SettingUnavailable';
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
  // As of a file with the line ends of Windows: such a folder would be made.
  if (/\p{Cc}/u.test(value)) throw new ConfigError(`${name} must be one line, not ${quoted(value)}.`);
  return value;
}

/** In one line: what is wrong may be a line end, which nobody would see. */
export function quoted(value: string): string {
  return JSON.stringify(value);
}

/** The value of a setting, or its default; undefined without either. Throws ConfigError on a wrong one. */
export function readSetting<T>(environment: Environment, name: string, entry: Setting<T>): T | undefined {
  const given = environment[name] ?? entry.default;
  return given === undefined ? undefined : entry.parse(given, name);
}

export function oneOf<const T extends string>(...values: readonly T[]): (text: string, name: string) => T {
  return (text, name) => {
    const found = values.find((value) => value === text);
    if (found === undefined)
      throw new ConfigError(`${name} must be one of ${values.join(', ')}, not ${quoted(text)}.`);
    return found;
  };
}

export function wholeNumber(min: number, max: number): (text: string, name: string) => number {
  return (text, name) => {
    const value = /^\d{1,9}$/.test(text) ? Number.parseInt(text, 10) : Number.NaN;
    if (!(value >= min && value <= max)) {
      throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not ${quoted(text)}.`);
    }
    return value;
  };
}

/** The value of a setting that has a default. */
export function required<T>(environment: Environment, name: string, entry: Setting<T>): T {
  const value = readSetting(environment, name, entry);
  if (value === undefined) throw new ConfigError(`${name} is required.`);
  return value;
}

/** Reads a setting from the file that holds it: a secret then is in no environment, which other processes may read. */
export function inFile<T>(parse: Setting<T>['parse']): Setting<T>['parse'] {
  return (path, name) => {
    const file = resolve(text(path, name));
    let content: string;
    try {
      content = readFileSync(file, 'utf8');
    } catch {
      throw new ConfigError(`${name}: the file "${file}" cannot be read.`);
    }
    return parse(content.trim(), name);
  };
}
