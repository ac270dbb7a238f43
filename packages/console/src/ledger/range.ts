import { readInstant } from '../parts/written-forms.ts';
import type { Search } from '../router.tsx';

/** A range of time, as the address has it; a link may say it as somebody would. */
export function rangeOf({ from, to }: Search): { readonly from?: string; readonly to?: string } {
  return {
    ...(from === undefined ? {} : { from: readInstant(from) }),
    ...(to === undefined ? {} : { to: readInstant(to) }),
  };
}
