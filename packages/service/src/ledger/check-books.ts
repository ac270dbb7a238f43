import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { balanceDifferences } from './check-store.ts';
import { ownerName } from './hledger.ts';
import { type KeptDifference, keptDifferences } from './kept-row-store.ts';
import { readTrialBalance } from './trial-balance.ts';

/** Differences that are listed; one is one too many. */
const DIFFERENCES_LISTED_MAX = 50; // limit: Differences that the check of the books lists

export interface BooksCheck {
  readonly at: string;
  readonly ok: boolean;
  /** Currencies in which debits and credits differ. */
  readonly unbalancedCurrencies: readonly { readonly currency: string; readonly difference: string }[];
  /** Balances that are not what the journal has. */
  readonly differences: readonly {
    readonly customerId: string;
    readonly account: string;
    readonly currency: string;
    readonly balance: string;
    readonly journal: string;
  }[];
  /** Positions, open quotes and rungs of the settlement ladder that are kept otherwise than they come out. */
  readonly keptDifferences: readonly KeptDifference[];
}

/**
 * Holds the balances against the journal, debits against credits, and the rows that are kept against what they are kept of. What the export and hledger prove from outside is
 * looked at here in milliseconds, from the closing balances and the entries since.
 */
export async function checkBooks(database: Queryable, now: number): Promise<BooksCheck> {
  const { currencies } = await readTrialBalance(database, {}, undefined, now);
  const unbalancedCurrencies = currencies
    .filter(({ debit, credit }) => debit !== credit)
    .map(({ currency, difference }) => ({ currency, difference }));
  const differences = (await balanceDifferences(database, DIFFERENCES_LISTED_MAX)).map((row) => {
    const text = (minor: string | null) => formatAmount(BigInt(minor ?? '0'), knownCurrency(row.currency));
    return {
      customerId: ownerName(row.customer_id),
      account: row.account,
      currency: row.currency,
      balance: text(row.balance),
      journal: text(row.journal),
    };
  });
  const kept = await keptDifferences(database, DIFFERENCES_LISTED_MAX);
  const ok = unbalancedCurrencies.length === 0 && differences.length === 0 && kept.length === 0;
  return { at: isoInstant(now), ok, unbalancedCurrencies, differences, keptDifferences: kept };
}
