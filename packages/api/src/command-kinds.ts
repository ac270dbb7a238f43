/** Kinds of what operators do: those that the policy of four eyes speaks of, and those of proposals. */

/** `amount`: from an amount on, and where it is not known. */
export const NEEDS = ['never', 'always', 'amount'] as const;
export type Needs = (typeof NEEDS)[number];

/** What the policy says of a kind. `fromUsd` is an amount of US dollars, with `amount` only. */
export interface Rule {
  readonly needs: Needs;
  readonly fromUsd: string | null;
}

interface Kind {
  /** What commands of this kind do, for people who set the policy. */
  readonly does: string;
  /** Whether they move an amount that a threshold can be set for. */
  readonly counts?: true;
  /** Where nobody has set anything; `sandbox` is as `never` where it is left out. */
  readonly production: Rule;
  readonly sandbox?: Rule;
}

const ALWAYS: Rule = { needs: 'always', fromUsd: null };
export const NEVER: Rule = { needs: 'never', fromUsd: null };
/** More than this takes two persons by default, where an amount decides. */
const MUCH: Rule = { needs: 'amount', fromUsd: '100000.00' };

/** Kinds that the policy sets. */
export const COMMAND_KINDS = {
  settlement_instruction: { does: 'Set the account that a customer is paid to.', production: ALWAYS },
  account_released: {
    does: 'Release a new account before its wait ends.',
    production: ALWAYS,
    sandbox: ALWAYS,
  },
  house_account: { does: 'Set the accounts that customers pay into.', production: ALWAYS },
  customer_client: { does: 'Create, change or resume an OAuth client of a customer.', production: ALWAYS },
  operator_client: { does: 'Create, change or resume an OAuth client of operators.', production: ALWAYS },
  person: { does: 'Invite or resume a person, or change their roles.', production: ALWAYS },
  role: { does: 'Create or change a role.', production: ALWAYS },
  service_key: { does: 'Replace or revoke a key that the service signs with.', production: ALWAYS },
  customer_terms: { does: 'Change how a customer trades and pays.', production: ALWAYS },
  halt_lifted: {
    does: 'Let a customer, a pair or the market trade again, or switch a price source back on.',
    production: ALWAYS,
  },
  hold_released: { does: 'Release a hold on a payout.', production: ALWAYS },
  limits: { does: 'Set limits for customers and the house.', production: ALWAYS },
  thresholds: { does: 'Set which deposits match automatically.', production: ALWAYS },
  pricing: { does: 'Set what customers pay, and which prices are trusted.', production: ALWAYS },
  calendar: { does: 'Set holidays and cut-offs.', production: ALWAYS },
  balance_top_up: { does: 'Top up a balance by hand, or reverse that.', counts: true, production: ALWAYS },
  recorded_deposit: { does: 'Record a deposit by hand.', counts: true, production: ALWAYS },
  deposit_work: {
    does: 'Decide what received money is for, or return it.',
    counts: true,
    production: MUCH,
    sandbox: MUCH,
  },
  withdrawal: {
    does: "Withdraw money from a customer's balance.",
    counts: true,
    production: MUCH,
    sandbox: MUCH,
  },
  customer_debt: {
    does: 'Take what a customer owes from its balance, or write it off.',
    counts: true,
    production: MUCH,
    sandbox: MUCH,
  },
  payment_confirmed: {
    does: 'Confirm a payment that no statement shows.',
    counts: true,
    production: ALWAYS,
  },
  payment_failed: {
    does: 'Report that a payment failed or came back, so that it can be made again.',
    counts: true,
    production: ALWAYS,
  },
  payment_retried: { does: 'Retry or redirect a payment.', counts: true, production: ALWAYS },
  payment_released: {
    does: 'Pay out early, or refund an excess.',
    counts: true,
    production: MUCH,
  },
  payment_file: {
    does: 'Create a payment file.',
    counts: true,
    production: ALWAYS,
  },
  payment_file_out: {
    does: 'Download a payment file or mark it as sent; its maker never does so alone.',
    production: ALWAYS,
  },
  statement_import: {
    does: 'Import a bank statement by hand, or set how one is read; clients that only import are exempt.',
    counts: true,
    production: ALWAYS,
  },
  unwinding: { does: 'Unwind a trade. A funded one always needs two people.', production: ALWAYS },
} as const satisfies Readonly<Record<string, Kind>>;

export type CommandKind = keyof typeof COMMAND_KINDS;

/** What takes two persons whatever the policy says. */
export const FIXED_KINDS = {
  four_eyes_policy: 'Change this policy; the one in force decides.',
  calendar_import: "Import a vendor's holidays.",
  settlement_run_cancel: 'Cancel a settlement run whose payment file was handed out.',
  statement_file: 'Accept a statement that does not add up, or withdraw one whose deposits must be undone.',
} as const;
export type FixedKind = keyof typeof FIXED_KINDS;

/** What rooms propose under a name of its own, rather than that of a kind of the policy. */
const ROOM_PROPOSALS = [
  'deposit_match',
  'deposit_top_up',
  'deposit_unmatch',
  'deposit_return',
  'deposit_release',
  'deposit_ignore',
  'deposit_book_as',
  'shortfall_forgive',
  'top_up_replace',
  'statement_entry',
  'import_statement_file',
  'accept_statement_file',
  'withdraw_statement_file',
  'balance_withdrawal',
  'debt_end',
  'unwind_transaction',
] as const;

/** Rooms propose all that is of these kinds, each command under its own name. */
const NEVER_PROPOSED = ['deposit_work', 'withdrawal', 'customer_debt', 'statement_file'] as const;

/** What a proposal can be of. */
export type ProposalKind =
  | Exclude<CommandKind | FixedKind, (typeof NEVER_PROPOSED)[number]>
  | (typeof ROOM_PROPOSALS)[number];
export const PROPOSAL_KINDS = [
  ...Object.keys(COMMAND_KINDS),
  ...Object.keys(FIXED_KINDS),
  ...ROOM_PROPOSALS,
].filter((kind) => !NEVER_PROPOSED.some((other) => other === kind)) as readonly ProposalKind[];

/** Whether a proposal can be of this kind. */
export function isProposalKind(kind: string): kind is ProposalKind {
  return PROPOSAL_KINDS.some((each) => each === kind);
}
