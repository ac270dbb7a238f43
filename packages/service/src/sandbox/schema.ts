import { Amount, CurrencyCode, LINE_PATTERN, TEXT_PATTERN } from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';

export const SandboxDeposit = Type.Object(
  {
    reference: Type.String({
      minLength: 1,
      maxLength: 140,
      pattern: TEXT_PATTERN,
      description: "Text of the payment, as a rule the transaction's reference.",
    }),
    amount: Amount,
    currency: CurrencyCode,
    remitterName: Type.Optional(Type.String({ minLength: 1, maxLength: 140, pattern: LINE_PATTERN })),
    remitterAccount: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 34,
        pattern: LINE_PATTERN,
        description: 'Account that the money comes from. By default the bank does not say.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type SandboxDeposit = Static<typeof SandboxDeposit>;
