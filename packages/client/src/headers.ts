import type { CallOptions } from './options.ts';

/** What a call says by an option or, under the header's name, by hand: the client would write its own over that. */
export function said(
  { headers = {} }: CallOptions,
  name: string,
  option: string | undefined,
): string | undefined {
  for (const each in headers) if (each.toLowerCase() === name) option ??= headers[each];
  return option;
}
