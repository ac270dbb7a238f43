import { forgetActedSweep } from './approvals/acted-amounts.ts';
import { approvalExpirySweep } from './approvals/approvals.ts';
import { entrySweep } from './bank-statements/book-entries.ts';
import type { Core } from './composition.ts';
import { accountWaitSweep } from './customers/settlement-instructions.ts';
import { failedReturnsSweep } from './deposits/operate-return.ts';
import { rematchSweep, rematchUntouchedSweep } from './deposits/rematch-deposits.ts';
import { keepEventDays } from './events/list-events.ts';
import { blockedPaymentSweep } from './exceptions/blocked-payments.ts';
import { logFaultSweep } from './exceptions/log-faults.ts';
import { shortPaymentSweep } from './exceptions/short-payments.ts';
import { forgetOldKeys } from './http/idempotency-store.ts';
import { foldSweep } from './ledger/kept-rows.ts';
import { closeOutSweep } from './payments/close-out-overdue.ts';
import { fundingCutoffSweep, missedValueDateSweep, settlementSweep } from './payments/sweeps.ts';
import { systemClock } from './platform/clock.ts';
import type { Sweep } from './platform/sweeps.ts';
import { EXPIRY_GRACE_MS } from './quotes/expiry-grace.ts';
import { expireQuotes } from './quotes/quote-lifecycle.ts';
import type { Sandbox } from './sandbox/room.ts';

/** The work that time brings, whoever runs it. */
export function coreSweeps(core: Core, sandbox: Sandbox | undefined): Sweep[] {
  const { pool, clock, calendars, quotesRoom, marketSweeps, exposure, reports, closing } = core;
  const { deposits, payments, overdueGraceMs } = core;
  return [
    {
      name: 'expire_quotes',
      does: 'Records expired quotes, with their events, once no request that arrived in time can still be under way.',
      everyMs: 1_000,
      run: () => expireQuotes(quotesRoom),
      nextDueAt: async () => {
        const expiry = await quotesRoom.store.nextExpiry();
        return expiry === undefined ? undefined : expiry + EXPIRY_GRACE_MS;
      },
    },
    core.keys.sweep,
    ...calendars.sweeps,
    ...marketSweeps,
    foldSweep(pool),
    exposure.sweep,
    entrySweep(deposits, core.logger),
    rematchSweep(deposits, core.logger),
    failedReturnsSweep(deposits, core.logger),
    rematchUntouchedSweep(deposits, core.logger),
    shortPaymentSweep(deposits),
    blockedPaymentSweep(deposits),
    logFaultSweep(deposits, core.audit.found),
    approvalExpirySweep(core.approvals),
    forgetActedSweep(core.approvals),
    accountWaitSweep(core.customersRoom),
    fundingCutoffSweep(payments),
    closeOutSweep(payments, overdueGraceMs),
    missedValueDateSweep(payments),
    // While the simulated bank settles fast, it releases payouts itself.
    settlementSweep(payments, { isActive: () => sandbox?.controls.bank.settlement !== 'fast' }),
    closing,
    ...core.people.sweeps,
    core.authorization.sweep,
    ...core.audit.sweeps,
    ...reports.sweeps,
    ...core.webhooks.sweeps,
    {
      name: 'forget_events',
      does: 'Creates tables for the events of coming days, and drops those past their retention.',
      everyMs: 60_000,
      isHousekeeping: true,
      run: () => keepEventDays(pool, clock.now()),
    },
    {
      name: 'forget_keys',
      does: 'Deletes idempotency keys past their retention.',
      everyMs: 60_000,
      isHousekeeping: true,
      run: () => forgetOldKeys(pool, Math.min(clock.now(), systemClock.now())),
    },
    core.forgetting,
  ];
}
