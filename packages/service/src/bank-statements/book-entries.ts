import { logFailure } from '../database/log-failure.ts';
import type { Logger } from '../platform/logger.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { forgetOvercome } from './apply-failures.ts';
import { applyPayments } from './apply-payments.ts';
import { applyStatuses } from './apply-statuses.ts';
import { bookCredits } from './book-credits.ts';
import { wakeReports } from './due-entry-store.ts';
import { adoptAccounts } from './own-accounts.ts';
import { returnDeposits } from './return-deposits.ts';
import { reviseEntries } from './revise-entries.ts';
import type { StatementsRoom } from './room.ts';

/** Reports that are reconsidered in one turn. */
const REPORTS_WOKEN = 500;

/**
 * Completed entries first, because they may leave payments to be booked. Then payments, since returned money that is not
 * ours becomes a deposit. Returns of deposits last: a deposit and its return may be in one file.
 */
async function bookDue(room: StatementsRoom, logger: Logger, only: 'fresh' | 'all'): Promise<number> {
  const woken = (await wakeReports(room.pool, REPORTS_WOKEN)) + (await reviseEntries(room, logger, only));
  const payments =
    woken + (await applyStatuses(room, logger, only)) + (await applyPayments(room, logger, only));
  const credits = await bookCredits(room, logger, only);
  return payments + credits + (await returnDeposits(room, logger, only));
}

/** More would keep the caller waiting; the sweep does the rest. */
const BATCHES_AT_ONCE = 50; // limit: Batches of entries right after an import

/**
 * Books what statements have reported: credits become deposits, debits and returned money move payments. A failure is logged
 * and left to the sweep: the import is committed already.
 */
export async function bookEntries(room: StatementsRoom, logger: Logger): Promise<void> {
  try {
    for (let batch = 0; batch < BATCHES_AT_ONCE; batch++) {
      if ((await bookDue(room, logger, 'fresh')) === 0) return;
    }
  } catch (error) {
    logFailure(logger, error, {}, 'statement entries could not be booked; the sweep will retry');
  }
}

const BATCHES_OF_A_SWEEP = 10;

/** Adopts accounts that have been registered meanwhile, and books what is due. */
export function entrySweep(room: StatementsRoom, logger: Logger): Sweep {
  let last = '';
  return {
    name: 'book_statement_entries',
    does: 'Turns credits into deposits, matches debits, returns and statuses to payments, and adopts newly registered accounts.',
    everyMs: 1_000,
    async run() {
      const adopted = await adoptAccounts(room, last);
      last = adopted.last;
      let moved = adopted.found + (await forgetOvercome(room));
      for (let batch = 0; batch < BATCHES_OF_A_SWEEP; batch++) {
        const settled = await bookDue(room, logger, 'all');
        moved += settled;
        if (settled === 0) break;
      }
      return moved;
    },
  };
}
