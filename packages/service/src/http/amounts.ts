import { type Currency, formatAmount, largestAmount, parseAmount } from '@firmquote/fx';
import { Problem, validationProblem } from '../problems/problem.ts';

/** Amounts that a caller names, in a currency that is known. */

/**
 * Minor units of the member `amount`, which is not zero.
 * @throws Problem validation_failed, amount_precision_invalid, amount_below_minimum
 */
export function readAmount(text: string, currency: Currency): bigint {
  const minor = readMinor(text, currency, '/amount');
  if (minor === 0n) throw belowMinimum(currency);
  if (minor % currency.settlementIncrementMinor !== 0n) {
    const increment = formatAmount(currency.settlementIncrementMinor, currency);
    throw tooPrecise(currency, '/amount', `${currency.code} is dealt in multiples of ${increment}`);
  }
  return minor;
}

/**
 * Minor units of an amount that may be zero.
 * @param pointer of the member that holds it
 * @throws Problem validation_failed, amount_precision_invalid
 */
export function readMinor(text: string, currency: Currency, pointer: string): bigint {
  const parsed = parseAmount(text, currency);
  if (parsed.ok) return parsed.minor;
  if (parsed.error === 'amount_invalid') {
    throw validationProblem([{ pointer, code: 'wrong_format', detail: 'is not an amount' }]);
  }
  throw tooPrecise(currency, pointer, `${currency.code} has ${currency.minorUnits} decimals`);
}

function tooPrecise({ minorUnits: decimals }: Currency, pointer: string, detail: string): Problem {
  const errors = [{ pointer, code: 'amount_precision_invalid', detail }];
  return new Problem('amount_precision_invalid', `${detail}.`, { members: { decimals, errors } });
}

/** Of an amount that is nothing, or would come to nothing in the other currency. */
export function belowMinimum(currency: Currency): Problem {
  return new Problem('amount_below_minimum', `The amount rounds to zero in ${currency.code}.`, {
    field: '/amount',
    members: { currency: currency.code, min: formatAmount(currency.settlementIncrementMinor, currency) },
  });
}

/** Of an amount that would come to more in the other currency than an amount can be. */
export function aboveMaximum(currency: Currency): Problem {
  const max = formatAmount(largestAmount(currency), currency);
  return new Problem('amount_above_maximum', `The amount comes to more than ${max} ${currency.code}.`, {
    field: '/amount',
    members: { currency: currency.code, max },
  });
}
