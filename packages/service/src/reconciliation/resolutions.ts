/** How a person can be done with an exception without moving money. */
export const RESOLUTIONS = ['acknowledged', 'settled_outside'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];
