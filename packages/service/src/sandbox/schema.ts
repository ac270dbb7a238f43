import {
  Amount,
  CurrencyCode,
  Instant,
  LINE_PATTERN,
  literals,
  PairCode,
  TEXT_PATTERN,
} from '../http/schema.ts';
import { type Static, Type } from '../platform/typebox.ts';
import { SETTLEMENT_MODES } from './store.ts';
import { SANDBOX_EVENTS } from './trigger-event.ts';

const strict = { additionalProperties: false, minProperties: 1 };

const Rate = Type.String({ pattern: '^\\d{1,12}(\\.\\d{1,10})?$', examples: ['1.08488'] });

export const MarketControl = Type.Object(
  {
    pair: Type.Optional(PairCode),
    bid: Type.Optional(Rate),
    ask: Type.Optional(Rate),
    live: Type.Optional(Type.Literal(true)),
    state: Type.Optional(literals(['open', 'closed', 'calendar'])),
  },
  {
    ...strict,
    description:
      'One of: `pair`, `bid` and `ask` set and freeze a pair; `pair` and `live` let it go; `state` is for the market as a whole.',
    examples: [{ pair: 'EURUSD', bid: '1.08488', ask: '1.08494' }],
  },
);
export type MarketControl = Static<typeof MarketControl>;

export const MarketControlled = Type.Object({
  pair: Type.Optional(PairCode),
  bid: Type.Optional(Type.String()),
  ask: Type.Optional(Type.String()),
  live: Type.Optional(Type.Boolean()),
  state: Type.Optional(Type.String()),
});

/** How the market is controlled now. */
export const MarketControls = Type.Object({
  state: literals(['open', 'closed', 'calendar'], {
    description:
      'Held open, closed, or as the market week has it. A restart takes it from FIRMQUOTE_MARKET_HOURS.',
  }),
  frozen: Type.Array(Type.Object({ pair: PairCode, bid: Type.String(), ask: Type.String() }), {
    description: 'Pairs whose price was set; until they are let go, or the service is restarted.',
  }),
});

/** Ten years in either direction. */
const SECONDS_MAX = 315_576_000;

export const ClockControl = Type.Object(
  {
    advanceSeconds: Type.Optional(
      Type.Integer({
        minimum: -SECONDS_MAX,
        maximum: SECONDS_MAX,
        description: 'Forwards, or backwards when negative.',
      }),
    ),
    now: Type.Optional(Instant),
    real: Type.Optional(Type.Literal(true)),
  },
  { ...strict, maxProperties: 1, description: 'Exactly one field.', examples: [{ advanceSeconds: 3600 }] },
);
export type ClockControl = Static<typeof ClockControl>;
export const ClockNow = Type.Object({
  now: Instant,
  offsetMs: Type.Integer({ description: 'Business time less real time; 0 when it was not moved.' }),
});

const autoDeposit = Type.Boolean({
  description: 'Money for a new trade arrives by itself 5 s after its execution.',
});
const settlement = literals(SETTLEMENT_MODES, {
  description:
    'fast: paid out 5 s after funding; calendar: on the value date, before the cut-off; runs: released then, and paid by the payment files of settlement runs only.',
});
export const BankControl = Type.Object(
  { autoDeposit: Type.Optional(autoDeposit), settlement: Type.Optional(settlement) },
  strict,
);
export type BankControl = Static<typeof BankControl>;
export const BankSettingsAnswer = Type.Object({ autoDeposit, settlement });

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

export const EventParams = Type.Object({ transactionId: Type.String(), event: literals(SANDBOX_EVENTS) });
