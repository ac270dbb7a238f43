import { constants, getPriority } from 'node:os';

/** Niceness for what gives way to this process, which may have been started with a low priority itself. */
export function lowerPriority(): number {
  const { PRIORITY_BELOW_NORMAL, PRIORITY_LOW } = constants.priority;
  return Math.min(getPriority() + PRIORITY_BELOW_NORMAL, PRIORITY_LOW);
}
