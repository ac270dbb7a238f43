import { CurrencyCode, Instant, literals, nullable } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { PostalAddress } from './address-schema.ts';
import { CustomerId, PageQuery, request, text } from './schema.ts';

/** Accounts that money goes to: the customers' own, and the house's. */

const account = {
  bic: nullable(Type.String({ maxLength: 11 })),
  iban: nullable(Type.String({ maxLength: 42, description: 'Blanks are taken out.' })),
  accountNumber: nullable(Type.String({ maxLength: 42 })),
  routingNumber: nullable(Type.String({ maxLength: 24 })),
};
const accountInput = {
  bankName: Type.Optional(nullable(text(140))),
  bic: Type.Optional(account.bic),
  iban: Type.Optional(account.iban),
  accountNumber: Type.Optional(account.accountNumber),
  routingNumber: Type.Optional(account.routingNumber),
};

const Lei = Type.String({
  pattern: '^[A-Z0-9]{20}$',
  description: 'Legal entity identifier of the account holder.',
});

export const AddSettlementInstruction = Type.Object(
  {
    currency: CurrencyCode,
    accountHolder: text(140),
    bankCountry: Type.Optional(
      nullable(Type.String({ pattern: '^[A-Z]{2}$', description: 'The country of the IBAN and the BIC.' })),
    ),
    lei: Type.Optional(nullable(Lei)),
    ...accountInput,
  },
  { ...request, description: 'Exactly one of `iban` and `accountNumber`.' },
);
export type AddSettlementInstruction = Static<typeof AddSettlementInstruction>;

export const InstructionStatus = ['active', 'retired'] as const;
export const SettlementInstruction = Type.Object({
  settlementInstructionId: Type.String({ examples: ['ssi_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
  customerId: CustomerId,
  currency: CurrencyCode,
  accountHolder: Type.String(),
  bankName: nullable(Type.String()),
  bankCountry: nullable(Type.String()),
  lei: nullable(Type.String()),
  bic: nullable(Type.String()),
  accountType: literals(['iban', 'account_number']),
  accountMasked: Type.String({ examples: ['DE** **** 4321'] }),
  routingNumber: nullable(Type.String()),
  status: literals(InstructionStatus),
  createdAt: Instant,
});
export type SettlementInstruction = Static<typeof SettlementInstruction>;
export const InstructionsQuery = Type.Object({
  currency: Type.Optional(CurrencyCode),
  status: Type.Optional(literals(InstructionStatus)),
  ...PageQuery,
});

export const SetCollectionAccount = Type.Object(
  {
    accountHolder: text(140),
    ...accountInput,
    rails: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z0-9_]{1,32}$' }), { maxItems: 10, uniqueItems: true }),
    ),
    holderAddress: Type.Optional(nullable(PostalAddress)),
    holderLei: Type.Optional(nullable(Lei)),
  },
  { ...request, description: '`iban` or `accountNumber`, or both.' },
);
export type SetCollectionAccount = Static<typeof SetCollectionAccount>;

export const CollectionAccount = Type.Object({
  currency: CurrencyCode,
  accountHolder: Type.String(),
  bankName: nullable(Type.String()),
  ...account,
  rails: Type.Array(Type.String()),
  holderAddress: nullable(PostalAddress),
  holderLei: nullable(Type.String()),
  updatedAt: Instant,
});
export type CollectionAccount = Static<typeof CollectionAccount>;
export const CollectionAccounts = Type.Object({ items: Type.Array(CollectionAccount) });
