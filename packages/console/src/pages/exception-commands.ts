import type {
  BookStatementEntryBody,
  MarkStatementEntryNeverBookedBody,
  ReconciliationExceptionDetail,
} from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import type { Asked, Given } from '../parts/action.tsx';
import {
  BANK_REFERENCE,
  filled,
  type PageCommand,
  type PageCommands,
  REASON,
  text,
} from '../parts/page-command.ts';
import { CUSTOMER_ID, check } from '../parts/written-forms.ts';
import { TRADE_PAYMENTS } from './trade-commands.ts';
import { WITHDRAWAL_COMMANDS } from './withdrawal-commands.ts';

type Detail = ReconciliationExceptionDetail;
type Order = Detail['orders'][number];

interface Subject {
  readonly of: Detail;
  readonly order: Order;
}

const HOUSE_OPTIONS = [
  ['bank_charges', 'Bank charges'],
  ['interest', 'Interest'],
  ['house_funds', 'House funds'],
] as const;
const debtor = (of: Detail): Asked => ({
  name: 'customerId',
  label: 'Customer, if one owes it',
  initial: of.customerId ?? '',
  isOptional: true,
  check: check(CUSTOMER_ID.pattern, CUSTOMER_ID.wants),
});

const takenBack = (depositId = ''): Asked => ({
  name: 'depositId',
  label: 'Deposit that the bank took back',
  hint: 'If it is known which. The others are held no more.',
  initial: depositId,
  isOptional: true,
  check: check(/^dep_/, 'Enter an id that begins with dep_.'),
});

const entryCommand = { scope: 'operator:entries', why: 'none' } as const;
const ON_ENTRIES: PageCommands<Subject> = {
  match: {
    ...entryCommand,
    label: 'Match to a payment',
    about: 'The bank has made or returned this payment. What differs is booked as bank charges.',
    done: 'It is matched.',
    asks: ({ of }) => [
      {
        name: 'purpose',
        label: 'It is',
        options: [
          ['payout', 'The payout of a trade'],
          ['refund', 'The refund of a trade'],
          ['deposit_return', 'The return of a deposit'],
        ],
      },
      {
        name: 'subject',
        label: 'Trade or deposit',
        hint: 'Its id, which begins with txn_ or dep_.',
        initial: of.transactionId ?? '',
        check: check(/^(txn|dep)_/, 'Enter an id that begins with txn_ or dep_.'),
      },
      REASON,
    ],
    send: ([id = ''], { purpose, subject, reason }, options) =>
      operator.matchStatementEntry(id, { ...matched(purpose, text(subject)), reason: text(reason) }, options),
  },
  book: {
    ...entryCommand,
    label: 'Book it',
    about: 'For money that is no payment of a customer, or that a customer owes or has paid in.',
    done: 'It is booked.',
    asks: ({ of, order: { body } }) => [
      {
        name: 'as',
        label: 'As',
        options: [
          ...HOUSE_OPTIONS,
          ['customer_debt', 'A debt of the customer'],
          ['deposit', 'Money received, to be matched'],
        ],
      },
      debtor(of),
      ...(body.depositId === undefined && of.reason !== 'ambiguous' ? [] : [takenBack(body.depositId)]),
      REASON,
    ],
    send: ([id = ''], given, options) =>
      operator.bookStatementEntry(
        id,
        {
          as: given.as as BookStatementEntryBody['as'],
          ...owed(given),
          ...filled(given, 'depositId'),
          reason: text(given.reason),
        },
        options,
      ),
  },
  another: {
    ...entryCommand,
    label: 'It is another payment',
    about: 'It repeats no payment that is known. It is booked as money of its own.',
    done: 'It is booked as another payment.',
    asks: () => [REASON],
    send: ([id = ''], { reason }, options) =>
      operator.markStatementEntryDistinct(id, { reason: text(reason) }, options),
  },
  same: {
    ...entryCommand,
    label: 'It is a repeat',
    about: 'The bank has reported this payment before. It is not booked again.',
    done: 'It is known as a repeat.',
    asks: ({ order: { body } }) => [
      {
        name: 'as',
        label: 'Of the entry',
        initial: body.as ?? '',
        check: check(/^ste_/, 'Enter an id that begins with ste_.'),
      },
      REASON,
    ],
    send: ([id = ''], { as, reason }, options) =>
      operator.markStatementEntryDuplicate(id, { as: text(as), reason: text(reason) }, options),
  },
  'never-booked': {
    ...entryCommand,
    label: 'The bank never booked it',
    about: 'What was booked with it is undone. Money that has left stays paid: then say who bears the loss.',
    done: 'It counts as never booked.',
    asks: ({ of }) => [
      {
        name: 'as',
        label: 'Who bears a loss',
        isOptional: true,
        options: [
          ['', 'Nobody, no money has left'],
          ...HOUSE_OPTIONS,
          ['customer_debt', 'The customer owes it'],
        ],
      },
      debtor(of),
      REASON,
    ],
    send: ([id = ''], given, options) =>
      operator.markStatementEntryNeverBooked(
        id,
        {
          ...(filled(given, 'as') as Pick<MarkStatementEntryNeverBookedBody, 'as'>),
          ...owed(given),
          reason: text(given.reason),
        },
        options,
      ),
  },
};

const deposit = { scope: 'operator:deposits', why: 'none' } as const;
const ON_RETURNS: PageCommands<Subject> = {
  paid: {
    ...deposit,
    label: 'The return is paid',
    about: 'For when no statement reports that the bank has sent it back.',
    done: 'It counts as paid.',
    asks: () => [{ ...BANK_REFERENCE, isOptional: false }, REASON],
    send: ([id = '', returnId = ''], { bankReference, reason }, options) =>
      operator.confirmDepositReturn(
        id,
        returnId,
        { bankReference: text(bankReference), reason: text(reason) },
        options,
      ),
  },
  failed: {
    ...deposit,
    label: 'The return failed',
    about: 'The bank rejected it or sent it back, and no file reports that.',
    done: 'The money is in suspense again.',
    asks: () => [REASON],
    send: ([id = '', returnId = ''], { reason }, options) =>
      operator.failDepositReturn(id, returnId, { reason: text(reason) }, options),
  },
  cancel: {
    ...deposit,
    label: 'Cancel the return',
    about: 'It is not sent.',
    done: 'The money is in suspense again.',
    asks: () => [REASON],
    send: ([id = '', returnId = ''], { reason }, options) =>
      operator.cancelDepositReturn(id, returnId, { reason: text(reason) }, options),
  },
};

const ON_DEPOSITS: PageCommands<Subject> = {
  'replace-top-up': {
    ...deposit,
    label: 'It is a top-up by hand',
    about: 'The deposit takes the place of the top-up. Only what the two differ by is credited or debited.',
    done: 'It has the place of the top-up.',
    asks: ({ order: { body } }) => [
      {
        name: 'customerId',
        label: 'Customer',
        initial: body.customerId ?? '',
        check: check(CUSTOMER_ID.pattern, CUSTOMER_ID.wants),
      },
      { name: 'bankReference', label: 'Bank reference of the top-up', initial: body.bankReference ?? '' },
      REASON,
    ],
    send: ([id = ''], { customerId, bankReference, reason }, options) =>
      operator.replaceTopUp(
        id,
        { customerId: text(customerId), bankReference: text(bankReference), reason: text(reason) },
        options,
      ),
  },
  forgive: {
    ...deposit,
    label: 'Forgive the shortfall',
    about: 'The house bears what is missing, and the trade has its money.',
    done: 'The trade has its money.',
    asks: ({ order: { body } }) => [
      { name: 'transactionId', label: 'Trade', initial: body.transactionId ?? '' },
      { name: 'amount', label: 'Amount that the house bears', initial: body.amount ?? '' },
      REASON,
    ],
    send: ([id = ''], { transactionId, amount, reason }, options) =>
      operator.forgiveShortfall(
        id,
        { transactionId: text(transactionId), amount: text(amount), reason: text(reason) },
        options,
      ),
  },
};

/** By what the last name of a path stands under. Commands on deposits are given at the deposit desk, but for what is a trade's. */
export const EXCEPTION_COMMANDS: Readonly<Record<string, PageCommands<Subject>>> = {
  'statement-entries': ON_ENTRIES,
  transactions: TRADE_PAYMENTS,
  withdrawals: WITHDRAWAL_COMMANDS,
  returns: ON_RETURNS,
  deposits: ON_DEPOSITS,
};

export interface PermittedCommand {
  /** Of the command and of what it is given on: its form is not that of the next one, with which the same can be done. */
  readonly name: string;
  readonly command: PageCommand<Subject>;
  readonly order: Order;
  readonly ids: readonly string[];
}

/** What an order of the service is here, if people can give it on this page. */
export function commandAt(order: Order): PermittedCommand | undefined {
  const parts = order.path.split('/').slice(3);
  const [subject = '', , verb = ''] = parts.slice(-3);
  const commands = Object.hasOwn(EXCEPTION_COMMANDS, subject) ? EXCEPTION_COMMANDS[subject] : undefined;
  const command = commands !== undefined && Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  if (command === undefined) return undefined;
  const ids = parts.filter((_, index) => index % 2 === 1);
  // A deposit may be one of several top-ups by hand.
  const { customerId = [], bankReference = [] } = order.body;
  const name = [subject, verb, ...ids, ...[customerId, bankReference].flat()].join('-');
  return { name, command, order, ids };
}

/** Who owes it. Without one the service asks for it, at its field. */
function owed(given: Given) {
  return given.as === 'customer_debt' ? filled(given, 'customerId') : {};
}

function matched(purpose: string | undefined, id: string) {
  if (purpose === 'deposit_return') return { depositId: id };
  return { transactionId: id, purpose: purpose === 'refund' ? ('refund' as const) : ('payout' as const) };
}
