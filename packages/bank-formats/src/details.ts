import type { CurrencyExchange, EntryDetail, EntryKind } from './entry.ts';
import { remittanceOf } from './text.ts';

export type ReadDetail = EntryDetail & { readonly sameWay: boolean };

/**
 * The payments of a booking, whose amounts add up to it. Several are told apart only when each has an amount in the
 * booking's currency, all go the same way and their sum is the booking; otherwise what was booked stays one payment that
 * carries all texts.
 * @param read amounts of -1 are unknown
 */
export function settleDetails(
  read: readonly ReadDetail[],
  amountMinor: bigint,
  entry: {
    readonly kind: EntryKind;
    readonly paymentInformationId: string | null;
    readonly remittanceText: string | null;
    readonly exchange: CurrencyExchange | null;
  },
): EntryDetail[] {
  const details = read.map(({ sameWay: _, ...detail }) => detail);
  const [first] = details;
  if (first === undefined) return [{ ...NOTHING, ...entry, amountMinor }];
  if (details.length === 1) return [{ ...first, amountMinor }];
  const divides =
    read.every((each) => each.sameWay && each.amountMinor > 0n) &&
    read.reduce((sum, each) => sum + each.amountMinor, 0n) === amountMinor;
  return divides ? details : [merged(details, amountMinor)];
}

function merged(details: readonly EntryDetail[], amountMinor: bigint): EntryDetail {
  const common = <T>(of: (detail: EntryDetail) => T): T | null => {
    const values = new Set(details.map(of));
    const [value] = values;
    return values.size === 1 && value !== undefined ? value : null;
  };
  return {
    kind: details.some((each) => each.kind === 'return')
      ? 'return'
      : (common((each) => each.kind) ?? 'payment'),
    amountMinor,
    endToEndId: common((each) => each.endToEndId),
    uetr: common((each) => each.uetr),
    instructionId: common((each) => each.instructionId),
    paymentInformationId: common((each) => each.paymentInformationId),
    detailReference: common((each) => each.detailReference),
    structuredReferences: [...new Set(details.flatMap((each) => each.structuredReferences))].slice(0, 100),
    remittanceText: remittanceOf([...new Set(details.map((each) => each.remittanceText))]),
    counterpartyName: common((each) => each.counterpartyName),
    counterpartyAccount: common((each) => each.counterpartyAccount),
    creditedAccount: common((each) => each.creditedAccount),
    returnReason: common((each) => each.returnReason),
    originalReference: common((each) => each.originalReference),
    exchange: details[0]?.exchange ?? null,
  };
}

/** A payment of which nothing but its amount is known. */
export const NOTHING: Omit<EntryDetail, 'amountMinor'> = {
  kind: 'payment',
  endToEndId: null,
  uetr: null,
  instructionId: null,
  paymentInformationId: null,
  detailReference: null,
  structuredReferences: [],
  remittanceText: null,
  counterpartyName: null,
  counterpartyAccount: null,
  creditedAccount: null,
  returnReason: null,
  originalReference: null,
  exchange: null,
};
