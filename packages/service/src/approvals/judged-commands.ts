import { hash } from 'node:crypto';
import type { CommandKind } from '@firmquote/api/command-kinds';
import { JUDGED } from '@firmquote/api/four-eyes';
import type { RawCommand } from '../http/command-desk.ts';

/** An amount as a request or an answer writes it. */
interface WrittenAmount {
  readonly amount: string;
  readonly currency: string;
  /** As the API writes it. */
  readonly customerId?: string | undefined;
}

type Json = Readonly<Record<string, unknown>>;

/** A secret, and the members of the answer that show it. */
interface Carried {
  readonly secret: string;
  readonly shown: Readonly<Record<string, string>>;
  /** It is for somebody else: the approval makes it, and whoever approves gets to see it. Default: whoever proposes does. */
  readonly isForApprover?: true;
}

/** What the desk knows of a command besides its kind. */
interface JudgedCommand {
  /** Where not every command of the operation is of one kind. */
  readonly kind?: (body: Json) => CommandKind;
  /** What it is about; one proposal at a time may be pending for it. Default: where its path leads. */
  readonly subject?: (command: RawCommand) => string;
  /** What it moves, from the request or the answer. */
  readonly amounts?: (answer: Json, command: RawCommand) => readonly WrittenAmount[];
  /** The operation that shows what there is before, and which part of its answer. */
  readonly shows?: {
    readonly operationId: string;
    readonly query?: (body: Json) => Readonly<Record<string, string>>;
    readonly part?: (answer: Json, command: RawCommand) => unknown;
    /** It is no earlier state of what the command answers, but what the command is made from. */
    readonly isSource?: true;
  };
  /**
   * It is a command on many: each of them is shown as `shows` has it, before and after, beside what was asked for and what becomes of
   * each.
   */
  readonly many?: (body: Json) => readonly RawCommand['params'][];
  /** What there is afterwards, where the answer does not say it as `shows` does. */
  readonly after?: (answer: Json) => unknown;
  /** Who has begun what this goes on with (as the API writes it): for any other person it takes nobody else. */
  readonly first?: (answer: Json) => string;
  /** The answer shows more than the command does: what was asked for is what changes. */
  readonly showsRequest?: true;
  /** A secret that it makes, and who gets to see it. */
  readonly carries?: (answer: Json) => Carried | undefined;
}

const ofTransaction = {
  shows: { operationId: 'getAnyTransaction' },
  amounts: (answer: Json) => [
    {
      amount: text(answer.buyAmount),
      currency: text(answer.buyCurrency),
      customerId: text(answer.customerId),
    },
  ],
} satisfies JudgedCommand;

const ofRefund = {
  ...ofTransaction,
  amounts: (answer: Json) => {
    const { customerId } = answer;
    const refund = (answer.refund ?? {}) as Json;
    const amount = text(refund.amount ?? answer.sellAmount);
    return [{ amount, currency: text(refund.currency ?? answer.sellCurrency), customerId: text(customerId) }];
  },
} satisfies JudgedCommand;

const ofWithdrawal = {
  shows: { operationId: 'getAnyWithdrawal' },
  amounts: (answer: Json) => [
    { amount: text(answer.amount), currency: text(answer.currency), customerId: text(answer.customerId) },
  ],
} satisfies JudgedCommand;

/** One account of the house becomes another, at once or later. */
const houseAccount = {
  shows: {
    operationId: 'listCollectionAccounts',
    part: ({ items }, { params }) => itemWith(items, 'currency', params.currency),
  },
  after: (answer) => {
    const { next, ...account } = answer as { readonly next: Json | null };
    return { ...account, ...next, next: null };
  },
} satisfies JudgedCommand;

const secret = {
  carries: (answer: Json) =>
    typeof answer.clientSecret === 'string'
      ? { secret: answer.clientSecret, shown: { clientSecret: answer.clientSecret } }
      : undefined,
} satisfies JudgedCommand;

const link = {
  carries: ({ invitationLink }: Json) =>
    typeof invitationLink === 'string'
      ? {
          secret: invitationLink.slice(invitationLink.indexOf('#') + 1),
          shown: { invitationLink },
          isForApprover: true,
        }
      : undefined,
} satisfies JudgedCommand;

const document = (operationId: string): JudgedCommand => ({ shows: { operationId } });
/** One of the clients that a list shows. */
const client = (operationId: string, member: string): JudgedCommand => ({
  shows: {
    operationId,
    part: (answer, { params }) => itemWith(answer[member], 'clientId', params.clientId),
  },
});
const credential = client('listCredentials', 'credentials');
const operatorClient = client('listOperatorClients', 'clients');

/** By id of the operation; what is not here has nothing but its kind and its path. */
const COMMANDS: Readonly<Record<string, JudgedCommand>> = {
  setFourEyesPolicy: document('getFourEyesPolicy'),
  addSettlementInstruction: {
    subject: ({ params, body }) => `${params.customerId} ${text((body as Json).currency)} account`,
    shows: {
      operationId: 'listSettlementInstructions',
      query: ({ currency }) => ({ currency: text(currency), status: 'active' }),
      part: ({ items }) => firstItem(items),
    },
  },
  releaseSettlementInstruction: {
    shows: {
      operationId: 'listSettlementInstructions',
      part: ({ items }, { params }) => itemWith(items, 'settlementInstructionId', params.ssiId),
    },
  },
  setCollectionAccount: houseAccount,
  releaseCollectionAccount: houseAccount,
  releaseVirtualAccount: {
    shows: {
      operationId: 'listVirtualAccounts',
      part: ({ items }, { params }) => itemWith(items, 'virtualAccountId', params.virtualAccountId),
    },
  },
  createCredential: secret,
  updateCredential: credential,
  addCredentialSecret: secret,
  setCredentialKeys: credential,
  setCredentialIpAllowList: credential,
  resumeCredential: credential,
  createOperatorClient: secret,
  updateOperatorClient: operatorClient,
  addOperatorClientSecret: secret,
  setOperatorClientKeys: operatorClient,
  setOperatorClientIpAllowList: operatorClient,
  resumeOperatorClient: operatorClient,
  invitePerson: { ...link, subject: ({ body }) => `invite ${text((body as Json).email)}` },
  renewInvitation: { ...link, shows: { operationId: 'getPerson' } },
  setPersonRoles: document('getPerson'),
  resumePerson: document('getPerson'),
  setRole: {
    shows: {
      operationId: 'listRoles',
      part: ({ roles }, { params }) => itemWith(roles, 'role', params.role),
    },
  },
  rotateKey: {
    subject: ({ body }) => `keys ${text((body as Json).purpose)}`,
    shows: {
      operationId: 'listKeys',
      part: ({ keys }, { body }) => {
        const ofPurpose = (keys as Json[]).filter(({ purpose }) => purpose === (body as Json).purpose);
        return itemWith(ofPurpose, 'state', 'next');
      },
    },
  },
  revokeKey: {
    shows: { operationId: 'listKeys', part: ({ keys }, { params }) => itemWith(keys, 'kid', params.kid) },
  },
  updateCustomer: document('getCustomer'),
  resumeCustomer: document('getCustomer'),
  resumeMarket: {
    subject: ({ body }) => {
      const { scope, pair, customerId } = body as Json;
      return [scope, pair, customerId, 'halt'].filter((each) => typeof each === 'string').join(' ');
    },
  },
  releaseHold: ofTransaction,
  setCustomerLimits: document('getCustomerLimits'),
  setAmountLimits: document('getAmountLimits'),
  setExposureLimits: document('getExposureLimits'),
  replaceMatchingRules: document('getMatchingRules'),
  setSpreadRules: document('getSpreadRules'),
  activateSpreadRuleDraft: document('getSpreadRules'),
  setPricingPolicy: document('getPricingPolicy'),
  setSwapPointPolicy: document('getSwapPointPolicy'),
  setSwapPoints: document('getSwapPoints'),
  setPairSettings: document('getPairSettings'),
  acceptPrice: { showsRequest: true },
  enableSource: { showsRequest: true },
  addVirtualAccount: { showsRequest: true },
  setCalendarYear: {
    ...document('getCalendarYear'),
    subject: ({ params }) => `${params.currency} ${params.year} calendar`,
  },
  setCutOff: document('getCutOff'),
  topUpBalance: {
    subject: ({ params, body }) => `${params.customerId} ${text((body as Json).bankReference)}`,
    amounts: (_, { params, body }) => [{ ...writtenAmount(body as Json), customerId: params.customerId }],
    shows: { operationId: 'getCustomerBalances' },
  },
  reverseTopUp: {
    subject: ({ params, body }) => `${params.customerId} ${text((body as Json).bankReference)}`,
    amounts: (answer, { params }) => [{ ...writtenAmount(answer), customerId: params.customerId }],
    shows: { operationId: 'getCustomerBalances' },
  },
  recordDeposit: {
    subject: ({ body }) => `deposit ${text((body as Json).bankReference)}`,
    amounts: ({ customerId }, { body }) => [
      { ...writtenAmount(body as Json), customerId: ofCustomer(customerId) },
    ],
  },
  confirmPayout: ofTransaction,
  failPayout: ofTransaction,
  retryPayout: ofTransaction,
  redirectPayout: ofTransaction,
  releasePayout: ofTransaction,
  confirmRefund: ofRefund,
  failRefund: ofRefund,
  retryRefund: ofRefund,
  refundExcess: ofRefund,
  confirmWithdrawal: ofWithdrawal,
  failWithdrawal: ofWithdrawal,
  redirectWithdrawal: ofWithdrawal,
  confirmDepositReturn: { amounts: (answer) => [writtenAmount(answer)] },
  failDepositReturn: { amounts: (answer) => [writtenAmount(answer)] },
  createSettlementRun: {
    subject: ({ body }) => `${text((body as Json).currency)} payment file`,
    amounts: ({ total, currency }) => [{ amount: text(total), currency: text(currency) }],
    shows: {
      operationId: 'previewSettlementRun',
      isSource: true,
      query: ({ currency, valueDate, chargeBearer, speed }) =>
        texts({ currency, valueDate, chargeBearer, speed }),
      // It says nothing to a reader.
      part: ({ digest: _, ...due }) => due,
    },
  },
  markSettlementRunSent: { ...document('getSettlementRun'), first: ({ createdBy }) => text(createdBy) },
  setStatementMapping: {
    shows: {
      operationId: 'listStatementMappings',
      part: ({ items }, { params }) => itemWith(items, 'name', params.name),
    },
  },
  unwindTransaction: ofTransaction,
  commandTransactions: {
    kind: ({ command }) => KIND_OF_MANY[text(command)] ?? 'payment_retried',
    subject: ({ body }) => `${text((body as Json).command)} ${hash('md5', JSON.stringify(body))}`,
    shows: { operationId: 'getAnyTransaction' },
    many: ({ items }) =>
      (items as Json[]).map(({ transactionId }) => ({ transactionId: text(transactionId) })),
  },
};

const KIND_OF_MANY: Readonly<Record<string, CommandKind>> = {
  settle: 'payment_released',
  'payout-confirmed': 'payment_confirmed',
  'refund-paid': 'payment_confirmed',
  'payout-failed': 'payment_failed',
  'refund-failed': 'payment_failed',
};

export function judgedCommand(operationId: string): JudgedCommand {
  return COMMANDS[operationId] ?? {};
}

const SUBJECT_MAX = 64;
const MARK_LENGTH = 12;

/** What a proposal is about: what its path leads to, and what is done there. Two that begin alike are two, however long they are. */
export function subjectOf(operationId: string, path: string, command: RawCommand): string {
  const { subject } = judgedCommand(operationId);
  const ids = Object.values(command.params);
  const place = path
    .split('/')
    .filter((part) => part !== '' && !part.startsWith('{'))
    .slice(2);
  const text = subject?.(command) ?? [...ids.slice(-1), place.at(-1)].join(' ');
  if (text.length <= SUBJECT_MAX) return text;
  const start = [...text].slice(0, SUBJECT_MAX - MARK_LENGTH - 2).join('');
  return `${start}… ${hash('sha256', text, 'hex').slice(0, MARK_LENGTH)}`;
}

/** The rooms' commands judge themselves; those of the desk are all others that are judged. */
export function isOfDesk(operationId: string): boolean {
  const judged = JUDGED[operationId];
  return judged !== undefined && judged.byRoom !== true;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function texts(members: Json): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).filter((member): member is [string, string] => typeof member[1] === 'string'),
  );
}

function writtenAmount({ amount, currency, customerId }: Json): WrittenAmount {
  return { amount: text(amount), currency: text(currency), customerId: ofCustomer(customerId) };
}

/** Nobody's is nobody's: it is not that of a customer whom all such amounts are for. */
function ofCustomer(id: unknown): string | undefined {
  return typeof id === 'string' ? id : undefined;
}

function firstItem(items: unknown): unknown {
  return Array.isArray(items) ? items[0] : undefined;
}

function itemWith(items: unknown, member: string, value: string | undefined): unknown {
  return Array.isArray(items) ? items.find((item: Json) => item[member] === value) : undefined;
}
