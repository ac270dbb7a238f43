import type { SetExposureLimits } from '@firmquote/api/operations/pricing';
import { type Currency, findCurrency, parseAmount, US_DOLLAR } from '@firmquote/fx';
import { UNKNOWN_CURRENCY } from '../http/market-codes.ts';
import { type FieldError, validationProblem } from '../problems/problem.ts';
import type { DocumentKind } from '../settings/documents.ts';

/** Limits of the house's exposure in US dollar cents, and what it has dealt elsewhere in minor units. */
export interface ExposureLimits {
  readonly version: number;
  readonly totalUsdMinor: bigint | undefined;
  readonly perCurrencyUsdMinor: bigint | undefined;
  readonly byCurrency: ReadonlyMap<string, bigint>;
  readonly hedges: ReadonlyMap<string, bigint>;
}

const NO_EXPOSURE_LIMITS: SetExposureLimits = {
  total: null,
  perCurrency: null,
  currencies: [],
  hedges: [],
};

/** What operators set, in the database's own words too: a trigger holds executions against it from the commit on. */
export const EXPOSURE_LIMITS: DocumentKind<SetExposureLimits, ExposureLimits> = {
  name: 'exposure_limits',
  table: 'pricing_settings',
  changedAt: 'created_at',
  shared: true,
  initial: NO_EXPOSURE_LIMITS,
  read: readExposureLimits,
};

/** Whether anything is limited, so that positions have to be followed at all. */
export function isLimited(limits: ExposureLimits): boolean {
  const { totalUsdMinor, perCurrencyUsdMinor, byCurrency } = limits;
  return totalUsdMinor !== undefined || perCurrencyUsdMinor !== undefined || byCurrency.size > 0;
}

/** The limit of one currency. That for all currencies is not for the dollar, which is the other side of most trades. */
export function limitOf(limits: ExposureLimits, currency: string): bigint | undefined {
  return limits.byCurrency.get(currency) ?? (currency === 'USD' ? undefined : limits.perCurrencyUsdMinor);
}

/** @throws Problem validation_failed with a pointer to each mistake */
export function readExposureLimits(input: SetExposureLimits, version: number): ExposureLimits {
  const errors: FieldError[] = [];
  const wrong = (pointer: string, code: string, detail: string): undefined => {
    errors.push({ pointer, code, detail });
    return undefined;
  };
  const usd = (text: string | null, pointer: string): bigint | undefined => {
    if (text === null) return undefined;
    const parsed = parseAmount(text, US_DOLLAR);
    return parsed.ok ? parsed.minor : wrong(pointer, parsed.error, 'must be an amount of US dollars');
  };
  const byCurrency = new Map<string, bigint>();
  for (const [index, { currency, limit }] of input.currencies.entries()) {
    const pointer = `/currencies/${index}`;
    if (findCurrency(currency) === undefined) wrong(`${pointer}/currency`, 'unknown', UNKNOWN_CURRENCY);
    if (byCurrency.has(currency)) wrong(`${pointer}/currency`, 'repeated', 'is listed twice');
    byCurrency.set(currency, usd(limit, `${pointer}/limit`) ?? 0n);
  }
  const hedges = new Map<string, bigint>();
  for (const [index, { currency, amount }] of input.hedges.entries()) {
    const pointer = `/hedges/${index}`;
    const known = findCurrency(currency);
    if (known === undefined) wrong(`${pointer}/currency`, 'unknown', UNKNOWN_CURRENCY);
    if (hedges.has(currency)) wrong(`${pointer}/currency`, 'repeated', 'is listed twice');
    hedges.set(currency, known === undefined ? 0n : signed(amount, known, `${pointer}/amount`, wrong));
  }
  const limits: ExposureLimits = {
    version,
    totalUsdMinor: usd(input.total, '/total'),
    perCurrencyUsdMinor: usd(input.perCurrency, '/perCurrency'),
    byCurrency,
    hedges,
  };
  if (errors.length > 0) throw validationProblem(errors);
  return limits;
}

function signed(
  text: string,
  currency: Currency,
  pointer: string,
  wrong: (pointer: string, code: string, detail: string) => undefined,
): bigint {
  const negative = text.startsWith('-');
  const parsed = parseAmount(negative ? text.slice(1) : text, currency);
  if (!parsed.ok) {
    wrong(pointer, parsed.error, `must be an amount with at most ${currency.minorUnits} decimals`);
    return 0n;
  }
  return negative ? -parsed.minor : parsed.minor;
}
