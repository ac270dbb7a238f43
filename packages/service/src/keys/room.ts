import { randomUUID } from 'node:crypto';
import { logFailure } from '../database/log-failure.ts';
import type { Pool } from '../database/pool.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { EVIDENCE_KEYS, KEY_KINDS, type KeyPurpose, placeOf, TOKEN_KEYS } from './purposes.ts';
import { requireOpenable } from './rewrap.ts';
import { SigningKeys } from './signing-keys.ts';
import { type KeyEncryptionKeys, Vault } from './vault.ts';
import { forgetHolder, noteHolder, type SealedPlace } from './vault-store.ts';

export type { KeyEncryptionKeys } from './vault.ts';
export type { SealedPlace } from './vault-store.ts';

const LOOK_EVERY_MS = 20_000;
const DAY_MS = 86_400_000;

/** Age, in days, at which a key that signs is replaced by the next one. */
export type RotationDays = Readonly<Record<KeyPurpose, number>>;

interface KeysOptions {
  readonly pool: Pool;
  /** Tokens live on real time, also when the sandbox clock is moved. */
  readonly realClock: Clock;
  readonly logger: Logger;
  readonly encryption: KeyEncryptionKeys;
  readonly rotationDays: RotationDays;
  /** Where other rooms keep something sealed. */
  readonly places?: readonly SealedPlace[];
}

export type Keys = ReturnType<typeof createKeys>;

/** What signs and what seals. `start` before anything is signed, `stop` after the last. */
export function createKeys({ pool, realClock, logger, encryption, rotationDays, places = [] }: KeysOptions) {
  const vault = new Vault(pool, encryption);
  const instance = randomUUID();
  const [tokens, evidence] = [TOKEN_KEYS, EVIDENCE_KEYS].map((kind) => {
    const rotateAfterMs = rotationDays[kind.purpose] * DAY_MS;
    return new SigningKeys({ pool, realClock, logger, vault, kind, rotateAfterMs });
  }) as [SigningKeys, SigningKeys];
  const look = async () => {
    await tokens.refresh();
    await evidence.refresh();
    await noteHolder(pool, instance, [...(await vault.ring()).keys.keys()]);
  };
  const sealing = { pool, vault, places: sealedPlaces(places) };
  const sweep: Sweep = {
    name: 'rotate_keys',
    does: 'Replaces signing keys that are old enough with the next ones, and records which key-encryption keys this instance has.',
    everyMs: LOOK_EVERY_MS,
    isHousekeeping: true,
    isAudited: true,
    async run() {
      await look();
      // Nothing that is due comes of it.
      return 0;
    },
  };
  return {
    pool,
    realClock,
    /** Sign access tokens. */
    tokens,
    /** Sign the terms of quotes and transactions and the heads of logs, and nothing that lets anybody in. */
    evidence,
    vault,
    sealing,
    rotationDays,
    topics: [tokens.topic, evidence.topic],
    sweep,
    /** Makes or reads the keys; fails when anything cannot be decrypted that is needed, now or later. */
    async start(): Promise<void> {
      await requireOpenable(sealing);
      await look();
    },
    /** Whoever puts another key in force need not wait for this instance any more. */
    async stop(): Promise<void> {
      await forgetHolder(pool, instance).catch((error: unknown) =>
        logFailure(logger, error, {}, 'could not deregister this instance'),
      );
    },
  };
}

function sealedPlaces(others: readonly SealedPlace[]): readonly SealedPlace[] {
  return [...Object.values(KEY_KINDS).map(placeOf), ...others];
}
