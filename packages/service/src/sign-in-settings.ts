import { type Environment, required, setting, wholeNumber } from './setting.ts';

/** How persons sign in, and how long that is good for. */
export const SIGN_IN_SETTINGS = {
  FIRMQUOTE_SESSION_IDLE_MINUTES: setting(
    "Minutes without a request after which a person's session ends.",
    '720',
    wholeNumber(1, 10_080),
  ),
  FIRMQUOTE_SESSION_HOURS: setting(
    "Hours after which a person's session ends, however much it is used.",
    '24',
    wholeNumber(1, 720),
  ),
  FIRMQUOTE_FRESH_SIGN_IN_MINUTES: setting(
    'Minutes for which a sign-in is good for what moves money or opens doors; then the person signs in again.',
    '15',
    wholeNumber(1, 1_440),
  ),
} as const;

/** Milliseconds. */
export interface SessionSettings {
  readonly idleMs: number;
  readonly lastsMs: number;
  readonly freshMs: number;
}

export function readSessionSettings(environment: Environment): SessionSettings {
  const s = SIGN_IN_SETTINGS;
  const number = (name: keyof typeof s) => required(environment, name, s[name]);
  return {
    idleMs: number('FIRMQUOTE_SESSION_IDLE_MINUTES') * 60_000,
    lastsMs: number('FIRMQUOTE_SESSION_HOURS') * 3_600_000,
    freshMs: number('FIRMQUOTE_FRESH_SIGN_IN_MINUTES') * 60_000,
  };
}
