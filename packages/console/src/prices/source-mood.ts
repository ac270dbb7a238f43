import type { Mood } from '../parts/icons.tsx';

/** A source is fine while it runs, and rests where its schedule says so; in any other state it gives no prices that it should give. */
export function moodOfSource({
  enabled,
  state,
}: {
  readonly enabled: boolean;
  readonly state: string;
}): Mood {
  if (!enabled) return 'warn';
  return state === 'running' ? 'ok' : state === 'idle' ? 'idle' : 'bad';
}
