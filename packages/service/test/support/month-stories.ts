import assert from 'node:assert/strict';
import { type Customer, succeed } from './acceptance.ts';
import { type MonthDesk, type Terms, tradeNow } from './month-desk.ts';
import type { Answer, TestService } from './service.ts';

/** What happens to a trade between its execution and its end, as it was meant when it was made. */
export interface Story {
  readonly name: string;
  readonly transactionId: string;
  readonly customer: Customer;
  readonly ends: 'settled' | 'settlement_failed' | 'cancelled';
  /** Exceptions that operations must have seen of it. */
  readonly exceptions: readonly string[];
}

/** What operations does with an exception of this story. */
export type Resolve = (exception: Answer['body']) => Promise<unknown>;

export interface Reported extends Story {
  readonly resolve?: Resolve;
  /** Later steps, each with the business day on which it is taken, counted from the trade's. */
  readonly later?: ReadonlyMap<number, () => Promise<unknown>>;
}

export interface Stage {
  readonly service: TestService;
  readonly desk: MonthDesk;
  readonly customer: Customer;
  /** The same operator's colleague. */
  readonly second: (path: string) => Promise<Answer>;
}

const DEPOSITS = '/v1/operator/deposits';

/** Money by the bank's own files. Answers the deposit. */
function pay(stage: Stage, reference: string, amount: string, currency: string, more: object = {}) {
  return stage.desk.post(201, '/v1/sandbox/deposits', { reference, amount, currency, ...more });
}

function match(stage: Stage, depositId: string, allocations: readonly object[]) {
  return stage.desk.post(200, `${DEPOSITS}/${depositId}/match`, {
    allocations,
    reason: 'told by the customer',
  });
}

/** Ordered to be sent back, which the next payment file does, and the bank tells of when it has. */
async function sendBack(stage: Stage, depositId: string): Promise<void> {
  const account = { accountHolder: 'Remitter', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' };
  await stage.desk.post(200, `${DEPOSITS}/${depositId}/return`, { reason: 'not ours', account });
}

function resolved(stage: Stage, exceptionId: string, resolution: string) {
  const path = `/v1/operator/exceptions/${exceptionId}/resolve`;
  return stage.desk.post(200, path, { resolution, note: 'seen' });
}

/** The drills of the amounts: what they lead to, and what operations does about it. */
const DRILLS: readonly {
  readonly suffix: string;
  readonly ends: Story['ends'];
  readonly exceptions?: readonly string[];
}[] = [
  { suffix: '000', ends: 'settled' },
  { suffix: '905', ends: 'settled' },
  { suffix: '906', ends: 'settled', exceptions: ['excess'] },
  { suffix: '908', ends: 'settled' },
  { suffix: '909', ends: 'settlement_failed' },
  { suffix: '910', ends: 'settled' },
];

/** Places of those that are about the payout, for trades that wait for no deposit. */
export const DRILLS_OF_PAYOUTS = DRILLS.flatMap(({ suffix }, place) =>
  ['000', '908', '909'].includes(suffix) ? [place] : [],
);

/** A trade whose amount says what becomes of it. */
export async function drill(
  stage: Stage,
  number: number,
  terms: Omit<Terms, 'amount'>,
  thousands: number,
): Promise<Reported> {
  const { suffix, ends, exceptions = [] } = DRILLS[number % DRILLS.length] as (typeof DRILLS)[number];
  const amount = terms.sell === 'JPY' ? `${thousands * 100}${suffix}` : `${thousands}${suffix}.00`;
  const { transactionId } = await tradeNow(stage.customer, { ...terms, amount });
  return {
    name: `drill ${suffix}`,
    transactionId,
    customer: stage.customer,
    ends,
    exceptions,
    resolve: async (exception) => {
      // A unit too much goes back with the next run.
      await stage.desk.post(200, `/v1/operator/transactions/${transactionId}/refund-excess`);
      const { resolution } = await stage.desk.get(`/v1/operator/exceptions/${exception.exceptionId}`);
      assert.equal(resolution, 'excess_refunded');
    },
  };
}

type Special = (stage: Stage, terms: Terms) => Promise<Reported>;

/** A trade that nobody pays by itself: its amount ends in 907. */
async function silent(stage: Stage, terms: Terms): Promise<Answer['body']> {
  assert.match(terms.amount, /907(\.00)?$/);
  return tradeNow(stage.customer, terms);
}

function reported(
  stage: Stage,
  name: string,
  trade: Answer['body'],
  rest: Pick<Reported, 'ends' | 'exceptions' | 'resolve' | 'later'>,
): Reported {
  return { name, transactionId: trade.transactionId, customer: stage.customer, ...rest };
}

const allOf = (trade: Answer['body']) => [{ transactionId: trade.transactionId }];

const withoutReference: Special = async (stage, terms) => {
  const trade = await silent(stage, terms);
  await pay(stage, 'thank you', trade.sellAmount, terms.sell);
  return reported(stage, 'without a reference', trade, {
    ends: 'settled',
    exceptions: ['unmatched'],
    resolve: (exception) => match(stage, exception.depositId, allOf(trade)),
  });
};

const namesTwoTrades: Special = async (stage, terms) => {
  const trade = await silent(stage, terms);
  const other = await silent(stage, terms);
  const text = `${trade.reference} ${other.reference}`;
  await pay(stage, text, trade.sellAmount, terms.sell);
  return reported(stage, 'names two trades', trade, {
    ends: 'settled',
    exceptions: ['ambiguous'],
    resolve: async (exception) => {
      await match(stage, exception.depositId, allOf(trade));
      await pay(stage, other.reference, other.sellAmount, terms.sell, { remitterAccount: 'OTHER-1' });
    },
  });
};

const wrongCurrency: Special = async (stage, terms) => {
  const trade = await silent(stage, terms);
  const currency = terms.sell === 'CHF' ? 'CAD' : 'CHF';
  await pay(stage, trade.reference, '5000.00', currency);
  return reported(stage, 'wrong currency', trade, {
    ends: 'settled',
    exceptions: ['wrong_currency'],
    resolve: async (exception) => {
      await sendBack(stage, exception.depositId);
      await pay(stage, trade.reference, trade.sellAmount, terms.sell);
    },
  });
};

const thirdParty: Special = async (stage, terms) => {
  const trade = await silent(stage, terms);
  await pay(stage, trade.reference, trade.sellAmount, terms.sell, { remitterName: 'Quite Another SA' });
  return reported(stage, 'paid by somebody else', trade, {
    ends: 'settled',
    exceptions: ['third_party'],
    resolve: (exception) => match(stage, exception.depositId, allOf(trade)),
  });
};

const paidTwice: Special = async (stage, terms) => {
  const trade = await silent(stage, terms);
  const from = { remitterAccount: 'PAYER-77' };
  await pay(stage, trade.reference, trade.sellAmount, terms.sell, from);
  await pay(stage, trade.reference, trade.sellAmount, terms.sell, from);
  return reported(stage, 'paid twice', trade, {
    ends: 'settled',
    exceptions: ['duplicate'],
    resolve: (exception) => sendBack(stage, exception.depositId),
  });
};

const paidLate: Special = async (stage, terms) => {
  const trade = await silent(stage, terms);
  return reported(stage, 'paid late', trade, {
    ends: 'settled',
    exceptions: ['late'],
    later: new Map([[5, () => pay(stage, trade.reference, trade.sellAmount, terms.sell)]]),
    resolve: (exception) => resolved(stage, exception.exceptionId, 'acknowledged'),
  });
};

const paidInPart: Special = async (stage, terms) => {
  const trade = await silent(stage, terms);
  await pay(stage, trade.reference, '15000.00', terms.sell);
  return reported(stage, 'paid in part', trade, {
    ends: 'settled',
    exceptions: ['short'],
    resolve: async ({ exceptionId }) => {
      // Finance agrees to what the service suggests.
      const { orders } = await stage.desk.get(`/v1/operator/exceptions/${exceptionId}`);
      const forgive = orders.find((each: { order: string }) => each.order === 'forgive_shortfall');
      return stage.desk.post(200, forgive.path, { ...forgive.body, reason: 'an old customer' });
    },
  });
};

const neverPaid: Special = async (stage, terms) => {
  const trade = await silent(stage, terms);
  const path = `/v1/operator/transactions/${trade.transactionId}/unwind`;
  return reported(stage, 'never paid', trade, {
    ends: 'cancelled',
    exceptions: [],
    later: new Map([[6, () => stage.desk.post(200, path, { reason: 'closed_out' })]]),
  });
};

const takenBackEarly: Special = async (stage, terms) => {
  const trade = await silent(stage, terms);
  const deposit = await pay(stage, trade.reference, trade.sellAmount, terms.sell);
  await stage.desk.post(201, `/v1/sandbox/deposits/${deposit.depositId}/return`);
  return reported(stage, 'taken back, and sent again', trade, {
    ends: 'settled',
    exceptions: [],
    later: new Map([[1, () => pay(stage, trade.reference, trade.sellAmount, terms.sell)]]),
  });
};

const takenBackLate: Special = async (stage, terms) => {
  const trade = await silent(stage, terms);
  const deposit = await pay(stage, trade.reference, trade.sellAmount, terms.sell);
  const takeBack = () => stage.desk.post(201, `/v1/sandbox/deposits/${deposit.depositId}/return`);
  return reported(stage, 'taken back after the payout', trade, {
    ends: 'settled',
    exceptions: ['returned'],
    later: new Map([[4, takeBack]]),
    resolve: (exception) => resolved(stage, exception.exceptionId, 'acknowledged'),
  });
};

const unwound: Special = async (stage, terms) => {
  const trade = await silent(stage, terms);
  await pay(stage, trade.reference, trade.sellAmount, terms.sell);
  const path = `/v1/operator/transactions/${trade.transactionId}/unwind`;
  const approval = await stage.desk.post(202, path, { reason: 'trade_error', closeOutAt: 'trade' });
  await succeed(200, stage.second(`/v1/operator/approvals/${approval.approvalId}/approve`));
  return reported(stage, 'unwound and refunded', trade, { ends: 'cancelled', exceptions: [] });
};

/** In the order in which they happen, one on each business day. */
export const SPECIALS: readonly Special[] = [
  withoutReference,
  namesTwoTrades,
  wrongCurrency,
  thirdParty,
  paidTwice,
  paidLate,
  neverPaid,
  paidInPart,
  takenBackEarly,
  takenBackLate,
  unwound,
];
