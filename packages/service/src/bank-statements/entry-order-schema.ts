import { HOUSE_ACCOUNTS } from '../deposits/house-entries.ts';
import { LINE_PATTERN, literals } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';

const request = { additionalProperties: false } as const;
const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: LINE_PATTERN,
  description: 'Why; kept with the exception.',
});
const Id = Type.String({ maxLength: 64 });

export const BOOK_AS = [...HOUSE_ACCOUNTS, 'customer_debt', 'deposit'] as const;

export const BookEntry = Type.Object(
  {
    as: literals(BOOK_AS, {
      description:
        '`bank_charges`, `interest`, `house_funds`: account of the ledger. `customer_debt`: the customer owes it, with `customerId`. `deposit`: money that came in and is to be matched as a deposit.',
    }),
    customerId: Type.Optional(Id),
    reason: Reason,
  },
  request,
);
export type BookEntry = Static<typeof BookEntry>;

export const MatchEntry = Type.Object(
  {
    transactionId: Type.Optional(Id),
    purpose: Type.Optional(
      literals(['payout', 'refund'], { description: 'Of the transaction; by default `payout`.' }),
    ),
    depositId: Type.Optional(Id),
    reason: Reason,
  },
  {
    ...request,
    description:
      'With `transactionId` the entry has paid its payout or refund, or returned it; what it is more or less is a charge of a bank. With `depositId` it is the return of a deposit that was recorded before.',
  },
);
export type MatchEntry = Static<typeof MatchEntry>;

export const JudgeEntry = Type.Object({ reason: Reason }, request);
export type JudgeEntry = Static<typeof JudgeEntry>;

export const SameEntry = Type.Object(
  {
    as: Type.String({
      maxLength: 64,
      description: 'The entry that carries the money, or one that is the same as it.',
    }),
    reason: Reason,
  },
  request,
);
export type SameEntry = Static<typeof SameEntry>;

export const EntryParams = Type.Object({ entryId: Type.String() });
