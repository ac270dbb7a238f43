import type { SealedPlace } from './keys/room.ts';
import { WEBHOOK_SECRETS } from './webhooks/signing.ts';

/** What rooms seal under the key-encryption key: the service opens it, and `rewrap-keys` seals it anew. */
export const SEALED_PLACES: readonly SealedPlace[] = [WEBHOOK_SECRETS];
