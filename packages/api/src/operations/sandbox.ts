import { BANK_FILE_KINDS } from '@firmquote/bank-formats';
import { operation } from '../operation.ts';
import { id, list, segment } from '../parameters.ts';
import { NEW_MONEY } from '../problem-groups.ts';
import {
  Amount,
  CalendarDate,
  CLOSED,
  CurrencyCode,
  Instant,
  LINE_PATTERN,
  literals,
  named,
  nullable,
  PairCode,
  pageOf,
  TEXT_PATTERN,
} from '../schema.ts';
import { type Static, Type } from '../typebox.ts';
import { Deposit } from './deposits.ts';
import * as examples from './examples.ts';
import { OperatorTransaction } from './operator-transactions.ts';

/** Controls of the simulated world: clock, market and bank. Served in a sandbox only. */

export const SETTLEMENT_MODES = ['fast', 'calendar', 'runs'] as const;
export type SettlementMode = (typeof SETTLEMENT_MODES)[number];
/** What the bank can be asked to do for a trade. */
export const SANDBOX_EVENTS = ['deposit', 'settle', 'payout-failed', 'payout-returned'] as const;
export type SandboxEvent = (typeof SANDBOX_EVENTS)[number];
const NO_EVENT = { code: 'route_not_found', detail: `Events are ${SANDBOX_EVENTS.join(', ')}.` } as const;
/** What the bank books. */
export const BANK_ENTRY_KINDS = ['payment', 'return', 'charge', 'interest'] as const;

const strict = { ...CLOSED, minProperties: 1 };
const Rate = Type.String({ pattern: '^\\d{1,12}(\\.\\d{1,10})?$', examples: ['1.08488'] });
const MARKET_STATES = ['open', 'closed', 'calendar'] as const;

const ControlMarket = Type.Object(
  {
    pair: Type.Optional(PairCode),
    bid: Type.Optional(Rate),
    ask: Type.Optional(Rate),
    live: Type.Optional(Type.Literal(true)),
    state: Type.Optional(literals(MARKET_STATES)),
  },
  {
    ...strict,
    description:
      'One of: `pair`, `bid` and `ask` set and freeze a pair; `pair` and `live` release it; `state` sets the whole market.',
    examples: [{ pair: 'EURUSD', bid: '1.08488', ask: '1.08494' }],
  },
);
export type ControlMarket = Static<typeof ControlMarket>;

const ControlledMarket = Type.Object({
  pair: Type.Optional(PairCode),
  bid: Type.Optional(Type.String()),
  ask: Type.Optional(Type.String()),
  live: Type.Optional(Type.Boolean()),
  state: Type.Optional(literals(MARKET_STATES)),
});
export type ControlledMarket = Static<typeof ControlledMarket>;

const MarketControls = Type.Object({
  state: literals(MARKET_STATES, {
    description:
      'Held open, held closed, or by the market week. A restart takes it from FIRMQUOTE_MARKET_HOURS.',
  }),
  frozen: Type.Array(Type.Object({ pair: PairCode, bid: Type.String(), ask: Type.String() }), {
    description: 'Pairs whose price was set, until they are released or the service restarts.',
  }),
});

/** Ten years in either direction. */
const SECONDS_MAX = 315_576_000;

const MoveClock = Type.Object(
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
export type MoveClock = Static<typeof MoveClock>;
const ClockNow = named(
  'SandboxClock',
  Type.Object({
    now: Instant,
    offsetMs: Type.Integer({ description: 'Business time minus real time; 0 if not moved.' }),
  }),
);

const autoDeposit = Type.Boolean({
  description: 'Money for a new trade arrives by itself 5 s after execution.',
});
const settlement = literals(SETTLEMENT_MODES, {
  description:
    'fast: paid out 5 s after funding; calendar: on the value date, before the cut-off; runs: released then, and paid only by settlement runs.',
});
const SetBank = Type.Object(
  { autoDeposit: Type.Optional(autoDeposit), settlement: Type.Optional(settlement) },
  strict,
);
const BankSettings = named('SandboxBankSettings', Type.Object({ autoDeposit, settlement }));

const BankAccount = named(
  'SandboxBankAccount',
  Type.Object({
    account: Type.String({ description: 'IBAN or number, as the files name it.' }),
    currency: CurrencyCode,
    holder: Type.String(),
    balance: Type.String({ description: 'Negative when the account is overdrawn, which is allowed.' }),
    statements: Type.Integer({ description: 'How many so far, which is the number of the last one.' }),
    lastStatementDate: nullable(CalendarDate),
  }),
);

const BankFile = named(
  'SandboxBankFile',
  Type.Object({
    fileId: Type.String({ examples: ['sbf_01jngx7z5d2m8r4v6t9k3b1c0a'] }),
    kind: literals(BANK_FILE_KINDS),
    name: Type.String({ description: 'Its name among the statement files.' }),
    entries: Type.Integer(),
    sizeBytes: Type.Integer(),
    sha256: Type.String(),
    createdAt: Instant,
    toldAt: nullable(Instant),
  }),
);
export type BankFile = Static<typeof BankFile>;

const line = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, pattern: LINE_PATTERN, description }));

const BookBankEntry = Type.Object(
  {
    currency: CurrencyCode,
    direction: literals(['credit', 'debit'], { description: "The effect on the house's account." }),
    amount: Amount,
    kind: Type.Optional(
      literals(['payment', 'charge', 'interest'], {
        description: 'By default `payment`. The others are between the bank and the house.',
      }),
    ),
    text: Type.String({ minLength: 1, maxLength: 140, pattern: TEXT_PATTERN }),
    endToEndId: line(35, 'Of a payment of the house, so that the entry matches it.'),
    counterpartyName: line(140, 'Who sent or received the money.'),
    counterpartyAccount: line(34, 'Where it came from or went to.'),
  },
  CLOSED,
);
export type BookBankEntry = Static<typeof BookBankEntry>;

const SandboxDeposit = Type.Object(
  {
    reference: Type.String({
      minLength: 1,
      maxLength: 140,
      pattern: TEXT_PATTERN,
      description: "Text of the payment, usually the transaction's reference.",
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

const ReturnDeposit = Type.Object(
  {
    reason: Type.Optional(
      Type.String({
        pattern: '^[A-Z0-9]{4}$',
        description: 'ISO 20022 return reason; by default FOCR, the remitter wants it back.',
        examples: ['FOCR'],
      }),
    ),
  },
  CLOSED,
);

const BankEntry = named(
  'SandboxBankEntry',
  Type.Object({
    bankReference: Type.String({ examples: ['SBX000000000042'] }),
    account: Type.String(),
    currency: CurrencyCode,
    direction: literals(['credit', 'debit']),
    kind: literals(BANK_ENTRY_KINDS),
    amount: Type.String(),
    bookingDate: CalendarDate,
    valueDate: CalendarDate,
  }),
);
export type BankEntry = Static<typeof BankEntry>;

const tag = 'Sandbox';
const access = { audience: 'operator', scope: 'operator:sandbox' } as const;
const PATH = '/v1/sandbox';

export const getSandboxClock = operation({
  id: 'getSandboxClock',
  method: 'GET',
  path: `${PATH}/clock`,
  tag,
  summary: 'Read business time',
  description: 'Prices, expiry, cut-offs and value dates follow it; tokens and rate limits do not.',
  access,
  answers: { 200: ClockNow },
});

export const moveSandboxClock = operation({
  id: 'moveSandboxClock',
  method: 'POST',
  path: `${PATH}/clock`,
  tag,
  summary: 'Move business time',
  description:
    'Drives expiry, cut-offs, value dates and settlement: everything due by then is done before the response. Tokens, rate limits and logs stay on real time.',
  access,
  body: MoveClock,
  key: 'kept',
  answers: { 200: ClockNow },
});

export const getSandboxBank = operation({
  id: 'getSandboxBank',
  method: 'GET',
  path: `${PATH}/bank`,
  tag,
  summary: 'Read how the simulated bank behaves',
  description: 'Its settings survive a restart.',
  access,
  answers: { 200: BankSettings },
});

export const setSandboxBank = operation({
  id: 'setSandboxBank',
  method: 'POST',
  path: `${PATH}/bank`,
  tag,
  summary: 'Set how the simulated bank behaves',
  description:
    'Omitted settings keep their values. Leaving `runs`, or changing to `fast`, affects trades that wait now as well.',
  access,
  body: SetBank,
  key: 'kept',
  answers: { 200: BankSettings },
});

export const getSandboxMarket = operation({
  id: 'getSandboxMarket',
  method: 'GET',
  path: `${PATH}/market`,
  tag,
  summary: 'Read how the market is controlled',
  description: 'Pairs that are not listed follow their sources.',
  access,
  answers: { 200: MarketControls },
});

export const controlSandboxMarket = operation({
  id: 'controlSandboxMarket',
  method: 'POST',
  path: `${PATH}/market`,
  tag,
  summary: 'Set or release a price, or close the market',
  description:
    'Send `pair` with `bid` and `ask`, `pair` with `live`, or `state`. It lasts until it is changed or the service restarts.',
  access,
  body: ControlMarket,
  key: 'kept',
  answers: { 200: ControlledMarket },
  problems: ['pair_not_supported'],
});

export const triggerSandboxEvent = operation({
  id: 'triggerSandboxEvent',
  method: 'POST',
  path: `${PATH}/transactions/{transactionId}/{event}`,
  tag,
  summary: 'Trigger an event of a transaction now',
  description:
    "The bank reports it in a file, and the response waits until that is imported. What the transaction's state or a hold forbids is 409 `invalid_state_transition`.",
  access,
  params: { transactionId: id('txn'), event: segment(SANDBOX_EVENTS, NO_EVENT) },
  key: 'kept',
  versioned: true,
  answers: { 200: OperatorTransaction },
  problems: ['transaction_not_found', 'invalid_state_transition', 'route_not_found'],
});

export const receiveSandboxDeposit = operation({
  id: 'receiveSandboxDeposit',
  method: 'POST',
  path: `${PATH}/deposits`,
  tag,
  summary: 'Simulate incoming money',
  description:
    'The simulated bank books it and reports it in a camt.054 file; the response comes once the service has imported that. Each call simulates a new payment.',
  access,
  body: SandboxDeposit,
  key: 'kept',
  versioned: true,
  answers: { 201: Deposit },
  problems: NEW_MONEY,
  example: examples.sandboxDeposit,
});

export const returnSandboxDeposit = operation({
  id: 'returnSandboxDeposit',
  method: 'POST',
  path: `${PATH}/deposits/{depositId}/return`,
  tag,
  summary: "Let the remitter's bank take a deposit back",
  description: 'A deposit can come back once, as a debit in a camt.054 file.',
  access,
  params: { depositId: id('dep') },
  body: ReturnDeposit,
  optionalBody: true,
  key: 'kept',
  unlocated: true,
  answers: { 201: BankEntry },
  problems: ['deposit_not_found', 'invalid_state_transition'],
});

export const listSandboxBankAccounts = operation({
  id: 'listSandboxBankAccounts',
  method: 'GET',
  path: `${PATH}/bank/accounts`,
  tag,
  summary: "List the house's accounts at the simulated bank",
  description: 'One for each collection account of the house, by currency.',
  access,
  answers: { 200: Type.Object({ items: Type.Array(BankAccount) }) },
});

export const listSandboxBankFiles = operation({
  id: 'listSandboxBankFiles',
  method: 'GET',
  path: `${PATH}/bank/files`,
  tag,
  summary: 'List the files of the simulated bank, newest first',
  description: 'The service imports each by itself; `toldAt` is null until then.',
  access,
  query: { kind: list(BANK_FILE_KINDS) },
  pages: true,
  answers: { 200: pageOf(BankFile) },
});

export const downloadSandboxBankFile = operation({
  id: 'downloadSandboxBankFile',
  method: 'GET',
  path: `${PATH}/bank/files/{fileId}`,
  tag,
  summary: 'Download a file of the simulated bank',
  description: 'As the bank wrote it and the service imports it.',
  access,
  params: { fileId: id('sbf') },
  answers: {
    200: {
      description: 'The file.',
      content: { 'application/xml': Type.String() },
      headers: { 'Content-Disposition': 'The name of the file.' },
    },
  },
  problems: ['statement_file_not_found'],
});

export const endSandboxBankDay = operation({
  id: 'endSandboxBankDay',
  method: 'POST',
  path: `${PATH}/bank/statements`,
  tag,
  summary: "End the simulated bank's day now",
  description:
    'Writes a statement (camt.053) for every account with entries not yet in one. Happens automatically at midnight UTC of business time.',
  access,
  key: 'kept',
  answers: { 200: Type.Object({ items: Type.Array(BankFile) }) },
});

export const bookSandboxBankEntry = operation({
  id: 'bookSandboxBankEntry',
  method: 'POST',
  path: `${PATH}/bank/entries`,
  tag,
  summary: 'Book an entry at the simulated bank',
  description:
    'Such as a fee, or a payment of the house with a different amount. A camt.054 file reports it.',
  access,
  body: BookBankEntry,
  key: 'kept',
  unlocated: true,
  answers: { 201: BankEntry },
  problems: NEW_MONEY,
});
