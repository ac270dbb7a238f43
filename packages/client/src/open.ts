/** Values that are known today, and any that an answer may bring one day. Completion offers the known ones. */
export type Open<T> = T | (string & Record<never, never>);
