import type { Pool } from '../../src/database/pool.ts';
import { bookingAsHouse } from '../../src/deposits/book-deposit.ts';
import { commandDeposit } from '../../src/deposits/operate-deposit.ts';
import { receiveDeposit } from '../../src/deposits/receive-deposit.ts';
import { endTransaction } from '../../src/payments/end-transaction.ts';
import { confirm, fail, retry, settle } from '../../src/payments/operate.ts';
import { fundingCutoffSweep } from '../../src/payments/sweeps.ts';
import type { PricedTransaction } from '../../src/transactions/record.ts';
import { fund, funded, order, trade } from './stories.ts';
import { createDesk, type Desk } from './trading.ts';

/** Trades and money of every kind that the ledger knows, in four currencies, of several customers. */
export async function keepBusyBooks(pool: Pool): Promise<Desk> {
  const desk = await createDesk(pool);
  const make = async (body: Parameters<Desk['quote']>[0]): Promise<PricedTransaction> =>
    desk.execute(await desk.quote(body));

  // Both fixed sides; currencies of two, none and three decimals; crosses; without markup.
  const paid = await make({});
  await make({ fixedSide: 'buy', amount: '5000.00' });
  await make({ sellCurrency: 'EUR', buyCurrency: 'USD', amount: '40000.00' });
  const yen = await make({ sellCurrency: 'JPY', buyCurrency: 'USD', amount: '1500000' });
  const dinar = await make({ sellCurrency: 'USD', buyCurrency: 'KWD', amount: '2500.00' });
  const cross = await make({ sellCurrency: 'GBP', buyCurrency: 'JPY', amount: '1234.56' });
  const short = await make({ amount: '20000.00' });
  const over = await make({ amount: '3000.00' });
  const partial = await make({ amount: '7000.00' });
  const unwound = await make({ amount: '900.00' });

  await fund(desk, paid);
  await fund(desk, yen);
  await fund(desk, dinar);
  await fund(desk, cross);
  await fund(desk, short, 1_998_000n);
  await fund(desk, over, 310_000n);
  await fund(desk, partial, 200_000n);
  await fund(desk, partial, 100_000n);
  await fund(desk, unwound, 10_000n);
  await receiveDeposit(desk, {
    account: 'house',
    bankReference: 'NOBODY',
    source: 'operator',
    amountMinor: 77_777n,
    currency: 'EUR',
    remitterName: null,
    remitterAccount: null,
    remittanceText: 'without a reference',
    valueDate: '2026-03-04',
    receivedAt: desk.clock.now(),
    fingerprint: 'NOBODY',
  });
  await endTransaction(desk, order(unwound), { reason: 'client_request' });
  const interest = await receiveDeposit(desk, {
    account: 'house',
    bankReference: `INTEREST ${desk.customerId}`,
    source: 'operator',
    amountMinor: 1_234n,
    currency: 'GBP',
    remitterName: null,
    remitterAccount: null,
    remittanceText: 'credit interest',
    valueDate: '2026-03-04',
    receivedAt: desk.clock.now(),
    fingerprint: desk.customerId,
  });
  await commandDeposit(
    { ...desk, usdValueOf: () => 1_600n },
    { depositId: interest.deposit.id, ifMatch: undefined, actor: desk.clientId, reason: 'of the bank' },
    bookingAsHouse,
    { as: 'interest' },
  );

  await settle(desk, order(paid));
  await confirm(desk, order(paid), 'OUT-1');
  await fail(desk, order(paid), undefined, undefined);
  await retry(desk, order(paid));
  await confirm(desk, order(paid), 'OUT-2');
  await settle(desk, order(cross));
  await fail(desk, order(cross), 'payout_rejected', 'account closed');
  await settle(desk, order(dinar));
  await confirm(desk, order(dinar), 'OUT-3');

  // Another customer's, overdue and closed out, and one that just waits.
  const late = await trade(pool, { amount: '650.00' });
  late.desk.clock.set(late.row.funding_cutoff_at);
  await fundingCutoffSweep(late.desk).run();
  await endTransaction(late.desk, order(late.row), { reason: 'closed_out' });
  await funded(pool, { sellCurrency: 'EUR', buyCurrency: 'GBP', amount: '11111.11' });
  return desk;
}
