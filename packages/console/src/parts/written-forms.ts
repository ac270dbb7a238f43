/** How something is written in a filter, and what is said to whoever wrote something else. */
export interface WrittenForm {
  readonly pattern: RegExp;
  /** In words, with an example. */
  readonly wants: string;
}

export const CURRENCY: WrittenForm = { pattern: /^[A-Z]{3}$/, wants: 'Enter three letters, such as EUR.' };
export const PAIR: WrittenForm = {
  pattern: /^[A-Z]{6}$/,
  wants: 'Enter two currencies, such as EUR/USD.',
};
export const DAY: WrittenForm = { pattern: /^\d{4}-\d\d-\d\d$/, wants: 'Enter a date, such as 2026-03-02.' };
export const INSTANT: WrittenForm = {
  pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/,
  wants: 'Enter a date or a time in UTC, such as 2026-03-02 or 2026-03-02T14:30Z.',
};
export const HOURS: WrittenForm = { pattern: /^\d{1,4}$/, wants: 'Enter whole hours, such as 24.' };
export const VERSION: WrittenForm = { pattern: /^[1-9]\d{0,8}$/, wants: 'Enter a number, such as 3.' };
export const CUSTOMER_ID: WrittenForm = { pattern: /^cus_/, wants: 'Enter an id that begins with cus_.' };

export const OWNER_ID: WrittenForm = {
  pattern: /^(cus_|house$)/,
  wants: 'Enter house, or an id that begins with cus_.',
};

/** The service takes instants to the second. A date is its midnight, and `2026-03-02 14:30` an hour of UTC. */
export function readInstant(text: string): string {
  const [, day, clock = '00:00', seconds = ':00'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?Z?)?$/i.exec(text.trim()) ?? [];
  return day === undefined ? text.trim() : `${day}T${clock}${seconds}Z`;
}

/** An account as statements write it: an IBAN, or a number, without the spaces that people put in. */
export function readAccount(text: string): string {
  const written = text.trim();
  return /^[a-z]{2}\d{2}/i.test(written) ? written.replaceAll(' ', '').toUpperCase() : written;
}

/** A range of time, as the address has it; a link may say it as somebody would. */
export function rangeOf({
  from,
  to,
}: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}): { readonly from?: string; readonly to?: string } {
  return {
    ...(from === undefined ? {} : { from: readInstant(from) }),
    ...(to === undefined ? {} : { to: readInstant(to) }),
  };
}

/** For a form that asks: what is wrong with what was written, if anything. */
export function check(pattern: RegExp, why: string): (text: string) => string | undefined {
  return (text) => (pattern.test(text) ? undefined : why);
}
