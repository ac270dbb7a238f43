import { formatAmount } from '../money/amount.ts';
import { signOf } from '../money/sum.ts';

/** Its sign is said where it has one: nobody has to see a colour. */
export function signed(amount: string): string {
  return `${signOf(amount) > 0 ? '+' : ''}${formatAmount(amount)}`;
}
