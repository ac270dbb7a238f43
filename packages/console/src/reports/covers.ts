/** What a report covers, in one line: days as days, and instants to the second with their zone. A day of its schedule begins in any zone. */
export function coversInWords({
  from,
  to,
  currency,
  customerId,
}: {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly currency?: string | undefined;
  readonly customerId?: string | undefined;
}): string {
  const [begin, end] = [shown(from), shown(to)];
  const period =
    begin === undefined ? end && `to ${end}` : end === undefined ? `from ${begin}` : `${begin} to ${end}`;
  return [period, currency, customerId].filter(Boolean).join(' · ') || 'Now';
}

/** The end of a period of instants is not part of it, and the last of days is: the form that asks for them says so. */
function shown(text: string | undefined): string | undefined {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/.exec(text ?? '') ?? [];
  return day === undefined ? text : `${day} ${clock} UTC`;
}
