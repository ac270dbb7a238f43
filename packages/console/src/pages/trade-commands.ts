import type {
  FailPayoutBody,
  OperatorTransaction,
  PlaceHoldBody,
  RollValueDateBody,
  UnwindTransactionBody,
} from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import {
  AGAIN,
  CONFIRMED,
  DETAIL,
  FAILED,
  filled,
  type PageCommand,
  type PageCommands,
  REASON,
  text,
} from '../parts/page-command.ts';
import { check, DAY } from '../parts/written-forms.ts';

type Trade = Pick<
  OperatorTransaction,
  'status' | 'payout' | 'refund' | 'funding' | 'holds' | 'settlement' | 'transactionId'
>;
type Status = Trade['status'];

/** Commands on what a trade pays, by the last name of their paths. */
export const TRADE_PAYMENTS: PageCommands<unknown> = {
  settle: {
    scope: 'operator:payouts',
    why: 'payment_released',
    label: 'Pay out now',
    about: 'It is paid before its value date.',
    done: 'It goes out in the next run.',
    send: ([id = ''], _, options) => operator.releasePayout(id, {}, options),
  },
  'payout-confirmed': {
    ...CONFIRMED,
    label: 'The payout is paid',
    send: ([id = ''], given, options) => operator.confirmPayout(id, filled(given, 'bankReference'), options),
  },
  'payout-failed': {
    ...FAILED,
    label: 'The payout failed',
    done: 'The payout counts as failed. Nothing is paid again by itself.',
    asks: () => [
      {
        name: 'reason',
        label: 'What happened',
        isOptional: true,
        options: [
          ['', 'As its state says'],
          ['payout_rejected', 'The bank rejected it'],
          ['payout_returned', 'It came back'],
          ['beneficiary_invalid', 'The account is wrong'],
        ],
      },
      DETAIL,
    ],
    send: ([id = ''], given, options) =>
      operator.failPayout(id, filled(given, 'reason', 'detail') as FailPayoutBody, options),
  },
  'retry-payout': {
    ...AGAIN,
    label: 'Pay out again',
    send: ([id = ''], _, options) => operator.retryPayout(id, {}, options),
  },
  'redirect-payout': {
    ...AGAIN,
    label: 'Redirect the payout',
    done: 'It goes to the current account.',
    send: ([id = ''], _, options) => operator.redirectPayout(id, {}, options),
  },
  'refund-paid': {
    ...CONFIRMED,
    label: 'The refund is paid',
    send: ([id = ''], given, options) => operator.confirmRefund(id, filled(given, 'bankReference'), options),
  },
  'refund-failed': {
    ...FAILED,
    label: 'The refund failed',
    done: 'The refund counts as failed. Nothing is paid again by itself.',
    send: ([id = ''], given, options) => operator.failRefund(id, filled(given, 'detail'), options),
  },
  'retry-refund': {
    ...AGAIN,
    label: 'Refund again',
    send: ([id = ''], _, options) => operator.retryRefund(id, {}, options),
  },
  'refund-excess': {
    scope: 'operator:payouts',
    why: 'payment_released',
    label: 'Refund the excess',
    about: 'What was paid too much goes back to the customer.',
    done: 'It goes back in the next run.',
    send: ([id = ''], _, options) => operator.refundExcess(id, {}, options),
  },
};

const unwinding = {
  scope: 'operator:transactions',
  why: 'unwinding',
  done: 'The trade is cancelled.',
} as const;

/** Commands on the trade itself. */
export const TRADE_CHANGES: PageCommands<Trade> = {
  holds: {
    scope: 'operator:holds',
    why: 'none',
    label: 'Hold the payout',
    about:
      'The payout waits until the hold is released. The customer sees what it is held for, and not the reason.',
    done: 'It is held.',
    asks: () => [
      {
        name: 'kind',
        label: 'For',
        options: [
          ['screening', 'Screening'],
          ['review', 'Review'],
          ['documents', 'Documents'],
        ],
      },
      REASON,
    ],
    send: ([id = ''], { kind, reason }, options) =>
      operator.placeHold(id, { kind: kind as PlaceHoldBody['kind'], reason: text(reason) }, options),
  },
  'roll-value-date': {
    scope: 'operator:transactions',
    why: 'none',
    label: 'Roll the value date',
    about:
      'It is postponed, and the funding cut-off with it. The amounts stay. An overdue trade waits for its money again.',
    done: 'The value date is rolled.',
    asks: ({ settlement }) => [
      {
        name: 'valueDate',
        label: 'Value date',
        hint: `Later than ${settlement.valueDate}.`,
        type: 'date',
        check: check(DAY.pattern, DAY.wants),
      },
      {
        name: 'reason',
        label: 'Why, which the customer sees',
        options: [
          ['client_request', 'The customer asked for it'],
          ['holiday', 'Holiday'],
          ['late_funding', 'Late money'],
          ['bank_closed', 'The bank is closed'],
          ['operational', 'Operational'],
        ],
      },
    ],
    send: ([id = ''], { valueDate, reason }, options) =>
      operator.rollValueDate(
        id,
        { valueDate: text(valueDate), reason: reason as RollValueDateBody['reason'] },
        options,
      ),
  },
  unwind: {
    ...unwinding,
    label: 'Unwind',
    about: 'The trade is reversed as it was booked, without gain or loss.',
    asks: () => [
      {
        name: 'reason',
        label: 'Why, which the customer sees',
        options: [
          ['client_request', 'The customer asked for it'],
          ['trade_error', 'It was traded in error'],
          ['compliance_rejected', 'Compliance rejected it'],
        ],
      },
    ],
    send: ([id = ''], { reason }, options) =>
      operator.unwindTransaction(
        id,
        { closeOutAt: 'trade', reason: reason as NonNullable<UnwindTransactionBody['reason']> },
        options,
      ),
  },
  'close-out': {
    ...unwinding,
    label: 'Close out',
    about: 'The trade is closed at the price that the market has then. The result is booked.',
    asks: () => [
      {
        name: 'bearer',
        label: 'A loss is borne by',
        isOptional: true,
        options: [
          ['', 'Whom the settings say'],
          ['house', 'The house'],
          ['customer', 'The customer'],
        ],
      },
    ],
    send: ([id = ''], { bearer }, options) =>
      operator.unwindTransaction(
        id,
        {
          closeOutAt: 'market',
          reason: 'closed_out',
          ...(text(bearer) === '' ? {} : { chargeCustomer: bearer === 'customer' }),
        },
        options,
      ),
  },
};

export const RELEASE_HOLD: PageCommand<unknown> = {
  scope: 'operator:holds',
  why: 'hold_released',
  label: 'Release the hold',
  about: 'Once no hold is left the payout goes at its time, or at once if that has passed.',
  done: 'It is released.',
  send: ([id = '', holdId = ''], _, { reason, ifMatch }) =>
    operator.releaseHold(id, holdId, reason === undefined ? {} : { reason }, { ifMatch, reason }),
};

const UNPAID: readonly Status[] = ['awaiting_funds', 'partially_funded', 'funded'];
const NOT_UNDER_WAY: readonly Status[] = [...UNPAID, 'overdue', 'settlement_failed'];

/** Whether a trade is in a state for a command. The service decides; this is what is worth a button. */
const IS_POSSIBLE: Readonly<Record<string, (trade: Trade) => boolean>> = {
  settle: ({ status, holds }) => status === 'funded' && holds.length === 0,
  'payout-confirmed': (trade) => isUnderWay(trade),
  'payout-failed': (trade) => isUnderWay(trade) || (trade.status === 'settled' && !isInBalance(trade)),
  'retry-payout': ({ status, holds }) => status === 'settlement_failed' && holds.length === 0,
  'redirect-payout': (trade) => !isInBalance(trade) && (trade.status === 'funded' || isUnderWay(trade)),
  'refund-paid': ({ refund }) => refund?.status === 'pending',
  'refund-failed': ({ refund }) => refund?.status === 'pending' || refund?.status === 'paid',
  'retry-refund': ({ refund }) => refund?.status === 'failed',
  'refund-excess': ({ status, funding, refund }) =>
    status !== 'cancelled' && /[1-9]/.test(funding.excess) && refund?.status !== 'pending',
  holds: ({ status }) => NOT_UNDER_WAY.includes(status),
  'roll-value-date': ({ status }) => status === 'overdue' || UNPAID.includes(status),
  unwind: ({ status }) => status !== 'overdue' && NOT_UNDER_WAY.includes(status),
  'close-out': ({ status }) => NOT_UNDER_WAY.includes(status),
};

function isInBalance({ payout }: Trade): boolean {
  return payout.to === 'balance';
}

function isUnderWay(trade: Trade): boolean {
  return trade.status === 'settling' && !isInBalance(trade);
}

/** Every command on a trade, by name, and whether it is possible now. */
export function tradeCommands(trade: Trade) {
  return Object.entries({ ...TRADE_PAYMENTS, ...TRADE_CHANGES }).map(([name, command]) => ({
    name,
    command: command as PageCommand<Trade>,
    isPossible: IS_POSSIBLE[name]?.(trade) ?? false,
  }));
}
