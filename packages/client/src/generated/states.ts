// Made by `node scripts/generate-client.ts` from @firmquote/fx. Change that, not this file.
/** Where a transaction can go from each of its states. */
export const NEXT_STATES: Readonly<Record<string, readonly string[]>> = {
  awaiting_funds: ['partially_funded', 'funded', 'overdue', 'cancelled'],
  partially_funded: ['funded', 'overdue', 'cancelled', 'awaiting_funds', 'partially_funded'],
  funded: ['settling', 'cancelled', 'awaiting_funds', 'partially_funded'],
  overdue: ['funded', 'cancelled', 'awaiting_funds', 'partially_funded'],
  settling: ['settled', 'settlement_failed'],
  settled: ['settlement_failed'],
  settlement_failed: ['settling', 'cancelled'],
  cancelled: [],
};
