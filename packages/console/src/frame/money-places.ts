export type MoneyPath = '/deposits' | '/statements' | '/payments' | '/bank' | '/positions' | '/reports';

const place = (name: string, to: MoneyPath, key: string, rights: readonly string[]) => ({
  group: 'Money',
  name,
  to,
  key,
  rights,
});

/** Where money comes in and goes out, and whether all of it is accounted for. */
export const MONEY_PLACES = [
  place('Deposits', '/deposits', 'd', ['operator:deposits:read', 'operator:deposits']),
  place('Statements', '/statements', 'i', ['operator:statements', 'operator:deposits:read']),
  place('Payments', '/payments', 'f', ['operator:payouts', 'operator:transactions:read']),
  place('Bank and ledger', '/bank', 'b', ['operator:ledger']),
  place('Positions', '/positions', 'p', ['operator:pricing:read', 'operator:limits', 'operator:ledger']),
  place('Reports', '/reports', 'r', ['operator:reports', 'operator:reports:read']),
] as const;
