import type { RequestKey } from '../../http/idempotency.ts';
import { newUuid } from '../../platform/ids.ts';

/**
 * What an entry that a request asks for is booked under. The work of such a request is not one commit, so a repetition
 * with the same Idempotency-Key finds what the first one booked, wherever that ended.
 * @param by who asks
 */
export function sourceOf(sent: RequestKey | undefined, by: string, receivedAt: number): string {
  if (sent === undefined) return `asked:${newUuid(receivedAt)}`;
  return `asked:${by}:${sent.fingerprint}:${sent.key}`;
}
