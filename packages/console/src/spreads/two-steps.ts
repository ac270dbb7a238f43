import { VersionMismatchError } from '@firmquote/client';
import { useRef } from 'react';
import { operator } from '../api/session.ts';

type Stored = Promise<{ readonly etag: string | undefined }>;

/**
 * Stores the next rules and activates them. Neither step takes a key, and each is held by the version that it changes: what is sent again
 * goes on with what it has stored itself, so that rules whose activation was answered by nobody are not put in force once more.
 */
export function useTwoSteps() {
  const kept = useRef<{ readonly text: string; readonly tag: string }>(undefined);
  return async (
    text: string,
    ifMatch: string,
    reason: string | undefined,
    store: (tag: string) => Stored,
  ) => {
    try {
      if (kept.current?.text !== text) {
        const { etag = '' } = await store(kept.current?.tag ?? ifMatch);
        kept.current = { text, tag: etag };
      }
      return await operator.activateSpreadRuleDraft({}, { ifMatch: kept.current.tag, reason });
    } catch (error) {
      // What is there now is shown: whoever sends again means it anew.
      if (error instanceof VersionMismatchError) kept.current = undefined;
      throw error;
    }
  };
}
