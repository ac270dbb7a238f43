/** Without a customer or a reference the service looks for a currency among the trades of so many days. */
export const SEARCHED_DAYS = 92;
/** A trade date may lie ahead: of a trade before a long weekend, behind it. */
const AHEAD_DAYS = 6;
const DAY_MS = 86_400_000;

type Query = Readonly<Record<string, string>>;

/**
 * The trade dates that a search takes and nobody has named; undefined where it takes none.
 * @param now business time
 */
export function tradeDatesFor(
  { currency, customerId, reference, tradeDateFrom: from, tradeDateTo: to }: Readonly<Partial<Query>>,
  now: number,
): { readonly tradeDateFrom: string; readonly tradeDateTo: string } | undefined {
  if (currency === undefined || (customerId ?? reference) !== undefined) return undefined;
  if (from !== undefined && to !== undefined) return undefined;
  if (from !== undefined) return { tradeDateFrom: from, tradeDateTo: movedBy(from, SEARCHED_DAYS) };
  const last = to ?? movedBy(new Date(now).toISOString().slice(0, 10), AHEAD_DAYS);
  return { tradeDateFrom: movedBy(last, -SEARCHED_DAYS), tradeDateTo: last };
}

function movedBy(date: string, days: number): string {
  const at = Date.parse(`${date}T00:00:00Z`);
  // A date that there is not is for the service to refuse.
  return Number.isNaN(at) ? date : new Date(at + days * DAY_MS).toISOString().slice(0, 10);
}
