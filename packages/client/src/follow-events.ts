import { isAborted } from './attempt.ts';
import type { Connection } from './connection.ts';
import { CancelledError } from './errors.ts';
import type { ListEventsQuery } from './generated/call-types.ts';
import type { Event, EventPage } from './generated/types.ts';
import type { FollowOptions, WaitOptions } from './options.ts';
import { pauseAfter } from './pauses.ts';
import { isPassing } from './retry.ts';

const HOLD_SECONDS = 30;
const PAUSE_MS = 1_000;
/** After a fault that has outlived a call's own attempts. */
const PAUSE_AFTER_FAULT_MS = 5_000;

/** As `events.follow`, which loads it when it is first called. */
export async function* followEvents(
  list: (query: ListEventsQuery, options: WaitOptions) => PromiseLike<EventPage>,
  connection: Connection,
  options: FollowOptions,
): AsyncGenerator<Event, void, undefined> {
  const { types, signal, onMissed } = options;
  const { runtime, log } = connection.settings;
  let { after } = options;
  let isFirst = true;
  /** Of the events missing behind `after`, those that were told. */
  let reported = 0;
  while (!isAborted(signal)) {
    const began = runtime.monotonicMs();
    let page: EventPage;
    try {
      page = await list({ after, types }, { signal, waitSeconds: isFirst ? undefined : HOLD_SECONDS });
    } catch (error) {
      if (error instanceof CancelledError) return;
      if (!isPassing(error)) throw error;
      const pauseMs = pauseAfter(error, PAUSE_AFTER_FAULT_MS);
      log('warn', 'events: trying again', { pauseMs });
      await runtime.sleep(pauseMs, signal);
      continue;
    }
    if (page.missed > reported) onMissed?.(page.missed - reported);
    for (const event of page.items) {
      yield event;
      if (isAborted(signal)) return;
    }
    // From the same place the same is counted again.
    reported = page.lastEventId === after ? page.missed : 0;
    // Of an empty page it is what was asked for, or the newest of other types. Where no event was kept, what happens from now on is all that is kept.
    after = page.lastEventId ?? undefined;
    const wasHeld = page.items.length > 0 || runtime.monotonicMs() - began >= PAUSE_MS;
    if (!isFirst && !wasHeld) await runtime.sleep(PAUSE_MS, signal);
    isFirst = false;
  }
}
