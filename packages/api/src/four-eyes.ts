import type { Operation } from './operation.ts';
import { Approval } from './operations/approvals.ts';
import type { ProblemCode } from './problems/registry.ts';

/** Which commands of operators take two persons: the kinds that the policy speaks of, and the operations of each. */

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
  balance_top_up: { does: 'Top up a balance by hand.', counts: true, production: ALWAYS },
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

/** How a command is judged. */
interface Judged {
  readonly kind: CommandKind | FixedKind;
  /** The room judges it in its own transaction, and proposes it in its own form. */
  readonly byRoom?: true;
  /** Programs do it all the time. By hand it is refused where the kind takes two: it would be old when a second person has seen it. */
  readonly byPrograms?: true;
}

function each<Value>(ids: string, value: Value): Record<string, Value> {
  return Object.fromEntries(ids.split(' ').map((id) => [id, value]));
}

const judged = (kind: CommandKind | FixedKind, ids: string): Record<string, Judged> => each(ids, { kind });
const byRoom = (kind: CommandKind | FixedKind, ids: string): Record<string, Judged> =>
  each(ids, { kind, byRoom: true });

/** Operations that are judged, by id. */
export const JUDGED: Readonly<Record<string, Judged>> = {
  ...judged('four_eyes_policy', 'setFourEyesPolicy'),
  ...judged('settlement_instruction', 'addSettlementInstruction'),
  ...judged(
    'account_released',
    'releaseSettlementInstruction releaseCollectionAccount releaseVirtualAccount',
  ),
  ...judged('house_account', 'setCollectionAccount addVirtualAccount'),
  ...judged(
    'customer_client',
    'createCredential updateCredential addCredentialSecret setCredentialKeys setCredentialIpAllowList resumeCredential',
  ),
  ...judged(
    'operator_client',
    'createOperatorClient updateOperatorClient addOperatorClientSecret setOperatorClientKeys setOperatorClientIpAllowList resumeOperatorClient',
  ),
  ...judged('role', 'setRole'),
  ...judged('service_key', 'rotateKey revokeKey'),
  ...judged('person', 'invitePerson renewInvitation setPersonRoles resumePerson'),
  ...judged('customer_terms', 'updateCustomer'),
  ...judged('halt_lifted', 'resumeCustomer resumeMarket enableSource'),
  ...judged('hold_released', 'releaseHold'),
  ...judged('limits', 'setCustomerLimits setAmountLimits setExposureLimits'),
  ...judged('thresholds', 'replaceMatchingRules'),
  ...judged(
    'pricing',
    'setSpreadRules activateSpreadRuleDraft setPricingPolicy setSwapPointPolicy setSwapPoints setPairSettings acceptPrice',
  ),
  ...each('pushPrices pushSwapPoints', { kind: 'pricing', byPrograms: true }),
  ...judged('calendar', 'setCalendarYear setCutOff'),
  ...byRoom('calendar_import', 'proposeCalendarImport'),
  ...judged('balance_top_up', 'topUpBalance'),
  ...judged('recorded_deposit', 'recordDeposit'),
  ...byRoom(
    'deposit_work',
    'matchDeposit unmatchDeposit returnDeposit releaseDeposit forgiveShortfall ignoreDeposit bookDeposit commandDeposits',
  ),
  ...byRoom(
    'deposit_work',
    'bookStatementEntry matchStatementEntry markStatementEntryDistinct markStatementEntryDuplicate markStatementEntryNeverBooked',
  ),
  ...byRoom('withdrawal', 'withdrawForCustomer'),
  ...judged('payment_confirmed', 'confirmPayout confirmRefund confirmWithdrawal confirmDepositReturn'),
  ...judged('payment_failed', 'failPayout failRefund failWithdrawal'),
  ...judged('payment_retried', 'retryPayout retryRefund redirectPayout redirectWithdrawal'),
  ...judged('payment_released', 'releasePayout refundExcess'),
  ...judged('payment_retried', 'commandTransactions'),
  ...judged('payment_file', 'createSettlementRun'),
  ...judged('payment_file_out', 'markSettlementRunSent'),
  ...byRoom('settlement_run_cancel', 'cancelSettlementRun'),
  ...byRoom('statement_import', 'importStatementFile'),
  ...judged('statement_import', 'setStatementMapping'),
  ...byRoom('statement_file', 'acceptStatementFile withdrawStatementFile'),
  ...judged('unwinding', 'unwindTransaction'),
};

const STOPS = 'It stops something, and stopping must not wait.';
const SAYS = 'It changes no money, prices or rights.';
const SIMULATED = 'It changes only the simulated world, which production does not have.';

/** What one person may do alone, by id of the operation, and why. */
export const ALONE: Readonly<Record<string, string>> = {
  ...each(
    'suspendCustomer haltMarket disableSource placeHold suspendCredential suspendOperatorClient revokeCredential',
    STOPS,
  ),
  ...each(
    'deleteRole withdrawInvitation endPerson endSession suspendPerson revokeOperatorClient revokeCredentialSecret revokeOperatorClientSecret revokeCredentialTokens revokeOperatorClientTokens',
    STOPS,
  ),
  ...each('retireSettlementInstruction closeVirtualAccount forgetRemitter withdrawPrices', STOPS),
  ...each('cancelAnyWithdrawal cancelDepositReturn', 'The money stays with the house.'),
  ...each('approve rejectApproval dryRunCommand', "It is the second person's decision, or changes nothing."),
  ...each(
    'signOut endOwnSession renamePasskey removePasskey renewRecoveryCodes',
    'It affects only how the person signs in.',
  ),
  ...each('assignDeposit addDepositNote assignException resolveException commandExceptions', SAYS),
  ...each('retryException signLogHead', 'The service does the same by itself.'),
  ...each(
    'quoteForCustomer executeForCustomer',
    "A firm quote lasts seconds. It stays within the customer's limits and pays out to the customer's accounts.",
  ),
  ...each('createCustomer', 'A new customer can do nothing without a client, an account and money.'),
  ...each('setPostalAddress', 'It says where a customer lives, not where its money goes.'),
  ...each('resetSourceSequence', 'It ends the prices of the session until the venue sends new ones.'),
  ...each(
    'setSpreadRuleDraft restoreSpreadRules discardSpreadRuleDraft previewSpreadRules previewMatchingRules',
    SAYS,
  ),
  ...each(
    'createOperatorWebhook updateOperatorWebhook deleteOperatorWebhook rotateOperatorWebhookSecret',
    'It sends events to a program and moves nothing.',
  ),
  ...each('testOperatorWebhook replayOperatorWebhookDelivery replayOperatorWebhook', SAYS),
  ...each(
    'requestReport deleteReport createReportSchedule replaceReportSchedule deleteReportSchedule',
    'It only reads data.',
  ),
  ...each('rollValueDate', 'The payout goes to the same account, later.'),
  ...each(
    'deleteStatementFile deleteStatementMapping',
    'A deleted file had no effect, and a file without its mapping is refused.',
  ),
  ...each(
    'setSandboxBank moveSandboxClock endSandboxBankDay bookSandboxBankEntry returnSandboxDeposit',
    SIMULATED,
  ),
  ...each('controlSandboxMarket triggerSandboxEvent receiveSandboxDeposit', SIMULATED),
};

/** Whether an operation can end in a proposal that it is not declared to. */
function isProposed({ id }: Operation): boolean {
  const how = JUDGED[id];
  return how !== undefined && how.byRoom !== true && how.byPrograms !== true;
}

const PROPOSES: readonly ProblemCode[] = ['already_exists', 'proposal_outdated'];

/** An operation with what follows from its being judged: the reason to give, and the approval that it may answer. */
export function underPolicy<O extends Operation>(declared: O): O {
  const { answers, problems = [] } = declared;
  if (JUDGED[declared.id]?.byPrograms === true) {
    return { ...declared, problems: [...problems, 'second_person_required'] };
  }
  if (!isProposed(declared)) return declared;
  return {
    ...declared,
    answers: { ...answers, 202: Approval },
    proposes: true,
    problems: [...problems, ...PROPOSES],
  };
}

/** What approving can answer: whatever the commands that it does can. */
export function problemsOfJudged(operations: readonly Operation[]): readonly ProblemCode[] {
  const all = operations.filter(isProposed).flatMap(({ problems = [] }) => problems);
  // A condition was there when it was proposed.
  return [...new Set(all)].filter((code) => code !== 'precondition_required');
}
