import type { CommandKind, FixedKind } from './command-kinds.ts';
import type { Operation } from './operation.ts';
import { Approval } from './operations/approvals.ts';
import type { ProblemCode } from './problems/registry.ts';

/** Which commands of operators may take two persons, and of which kind each is. */

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
  ...judged('balance_top_up', 'topUpBalance reverseTopUp'),
  ...judged('recorded_deposit', 'recordDeposit'),
  ...byRoom(
    'deposit_work',
    'matchDeposit replaceTopUp unmatchDeposit returnDeposit releaseDeposit forgiveShortfall ignoreDeposit bookDeposit commandDeposits',
  ),
  ...byRoom(
    'deposit_work',
    'bookStatementEntry matchStatementEntry markStatementEntryDistinct markStatementEntryDuplicate markStatementEntryNeverBooked',
  ),
  ...byRoom('withdrawal', 'withdrawForCustomer'),
  ...byRoom('customer_debt', 'payDebtFromBalance writeOffDebt'),
  ...judged('payment_confirmed', 'confirmPayout confirmRefund confirmWithdrawal confirmDepositReturn'),
  ...judged('payment_failed', 'failPayout failRefund failWithdrawal failDepositReturn'),
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
    'setSpreadRuleDraft restoreSpreadRules discardSpreadRuleDraft previewSpreadRules previewMatchingRules previewStatementFile',
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
