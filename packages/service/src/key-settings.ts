import { readSecret, secretSettings } from './secret-settings.ts';
import { ConfigError, type Environment, required, setting, wholeNumber } from './setting.ts';
import { base64Key } from './setting-values.ts';

/** What keys in the database are encrypted with, and when they are replaced. */
export interface KeySettings {
  readonly keyEncryption: {
    /** Undefined in a sandbox that was given none. */
    readonly current: Buffer | undefined;
    readonly previous: Buffer | undefined;
  };
  /** Age at which keys that sign are replaced, by what they sign. */
  readonly rotationDays: { readonly tokens: number; readonly evidence: number };
}

export const KEY_SETTINGS = {
  ...secretSettings(
    'FIRMQUOTE_KEY_ENCRYPTION_KEY',
    '32 bytes in base64 that encrypt keys and secrets in the database; see `docs/keys.md`. Required in production.',
    base64Key,
  ),
  ...secretSettings(
    'FIRMQUOTE_KEY_ENCRYPTION_KEY_PREVIOUS',
    'The previous key, until `npm run operator -- rewrap-keys` has re-encrypted everything.',
    base64Key,
  ),
  FIRMQUOTE_TOKEN_KEY_DAYS: setting(
    'Days after which the key that signs access tokens is replaced.',
    '90',
    wholeNumber(1, 365),
  ),
  FIRMQUOTE_EVIDENCE_KEY_DAYS: setting(
    'Days after which the key that signs terms and sealed logs is replaced.',
    '365',
    wholeNumber(1, 3_650),
  ),
} as const;

/** @throws ConfigError on a wrong value, and where there is a key before and none now */
export function readKeySettings(environment: Environment): KeySettings {
  const s = KEY_SETTINGS;
  const current = readSecret(environment, 'FIRMQUOTE_KEY_ENCRYPTION_KEY', s);
  const previous = readSecret(environment, 'FIRMQUOTE_KEY_ENCRYPTION_KEY_PREVIOUS', s);
  if (previous !== undefined && (current === undefined || current.equals(previous)))
    throw new ConfigError(
      'FIRMQUOTE_KEY_ENCRYPTION_KEY_PREVIOUS needs FIRMQUOTE_KEY_ENCRYPTION_KEY, and must be another key.',
    );
  return {
    keyEncryption: { current, previous },
    rotationDays: {
      tokens: required(environment, 'FIRMQUOTE_TOKEN_KEY_DAYS', s.FIRMQUOTE_TOKEN_KEY_DAYS),
      evidence: required(environment, 'FIRMQUOTE_EVIDENCE_KEY_DAYS', s.FIRMQUOTE_EVIDENCE_KEY_DAYS),
    },
  };
}
