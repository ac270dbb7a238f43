import fc from 'fast-check';
import { typeId } from '../../src/platform/ids.ts';
import { entriesOf, type ShownEntry } from './bank-story.ts';
import {
  act,
  amountOf,
  CURRENCIES,
  get,
  importAgain,
  type Movement,
  minorOf,
  move,
  newTrade,
  notify,
  type Payment,
  payOut,
  state,
  sweep,
  type World,
  withdrawFile,
} from './money-world.ts';

/** What may happen in a small world, one step after the other. A step without anything that it could be about is none. */

const KINDS = [
  ...['credit', 'credit', 'credit', 'notify', 'notify', 'notify', 'sum', 'settle', 'settle', 'run', 'run'],
  ...['debit', 'debit', 'back', 'recall', 'state', 'state', 'state', 'withdraw', 'again', 'spend'],
  ...[
    'top up',
    'top up',
    'unwind',
    'solve',
    'solve',
    'solve',
    'say',
    'say',
    'entry',
    'entry',
    'deposit',
    'return',
    'withdrawal',
  ],
] as const;

const step = fc.record({
  kind: fc.constantFrom(...KINDS),
  a: fc.nat({ max: 11 }),
  b: fc.nat({ max: 11 }),
  /** Whether it is true. */
  isReal: fc.boolean(),
  isOther: fc.boolean(),
});
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** How it begins: a trade is paid and in a file, and the other customer has a balance, as the bank says; then anything. */
export const stories = fc
  .record({
    isPaid: fc.boolean(),
    isFunded: fc.boolean(),
    areReal: fc.tuple(fc.boolean(), fc.boolean()),
    steps: fc.array(step, { minLength: 4, maxLength: 22, size: 'max' }),
  })
  .map(({ isPaid, isFunded, areReal, steps }): Step[] => {
    const as = { a: 0, b: 0, isReal: true, isOther: false };
    const paid: Step[] = [
      { ...as, kind: 'credit', isReal: areReal[0] },
      { ...as, kind: 'notify' },
      { ...as, kind: 'settle' },
      { ...as, kind: 'run', a: 1 },
    ];
    const funded: Step[] = [
      { ...as, kind: 'credit', a: 2, isReal: areReal[1] },
      { ...as, kind: 'notify' },
      { ...as, kind: 'spend' },
    ];
    return [...(isPaid ? paid : []), ...(isFunded ? funded : []), ...steps];
  });

const pick = <T>(from: readonly T[], index: number): T | undefined =>
  from.length === 0 ? undefined : from[index % from.length];
const REASON = { reason: 'the bank says so' };
const ACCOUNT = { accountHolder: 'Payer Ltd', iban: 'DE02120300000000202051' };

export const debitsOf = ({ movements }: World, payment: Payment) =>
  movements.filter((each) => each.payment === payment && !each.isCredit);
export const backOf = ({ movements }: World, movement: Movement) =>
  movements.filter((each) => each.of === movement);

/** The bank pays a payment, or only says so. */
export function debitFor(world: World, payment: Payment, isReal: boolean): Movement | undefined {
  if (debitsOf(world, payment).some((each) => each.isReal)) return undefined;
  const { currency, endToEndId, uetr, amount } = payment;
  const own = uetr === '' ? '' : `<UETR>${uetr}</UETR>`;
  const refs = `<EndToEndId>${endToEndId}</EndToEndId>${own}`;
  const made = { currency, isCredit: false, minor: minorOf(amount), refs, text: 'PAYMENT', payment, isReal };
  return move(world, made);
}

/** What a credit says of itself. */
function textOf(world: World, a: number): [text: string, minor: bigint] {
  const trade = pick(world.trades.slice(0, 2), a);
  if (a % 4 < 2 && trade !== undefined) return [trade.reference, trade.sell];
  return a % 4 === 2 ? [world.topUpReference, 70_000n] : ['NO WORD', 12_300n];
}

export function moneyBack(
  world: World,
  of: Movement,
  { isReal, isOther }: Pick<Step, 'isReal' | 'isOther'>,
): void {
  const isTrue = isReal && of.isReal && !backOf(world, of).some((each) => each.isReal);
  const refs = isOther || of.refs === '' ? `<TxId>${of.id}</TxId>` : of.refs;
  const { currency, minor, payment } = of;
  const { isCredit } = of;
  move(world, {
    ...{ currency, minor, refs, of, isReal: isTrue, isCredit: !isCredit, text: 'BACK', reason: 'AC04' },
    ...(payment !== undefined && { payment }),
  });
}

const untold = ({ movements }: World) => movements.filter((each) => !each.isNotified && !each.isListed);

const STEPS: Readonly<Record<(typeof KINDS)[number], (world: World, step: Step) => Promise<unknown>>> = {
  async credit(world, { a, b, isReal }) {
    const [text, exact] = textOf(world, a);
    const minor = [exact, exact, exact / 2n, exact + 5_000n][b % 4] ?? exact;
    const refs = `<EndToEndId>E${world.counter.count}</EndToEndId>`;
    move(world, { currency: 'USD', isCredit: true, minor, refs, text, isReal });
  },
  async notify(world, { a }) {
    const told = pick(untold(world), a);
    if (told !== undefined) await notify(world, [told]);
  },
  async sum(world, { a, isReal, isOther: isOrder }) {
    const all = untold(world).filter((each) => each.isReal === isReal);
    const first = pick(all, a);
    const of = all.filter((each) => each.currency === first?.currency && each.isCredit === first.isCredit);
    if (of.length > 1) await notify(world, of, { isSum: true, isOrder });
  },
  async settle(world, { a }) {
    const trade = pick(world.trades, a);
    if (trade !== undefined) await act(world, `transactions/${trade.transactionId}/settle`);
  },
  run: (world, { a }) => payOut(world, CURRENCIES[a % 2] ?? 'EUR'),
  async debit(world, { a, isReal }) {
    const payment = pick(world.payments, a);
    if (payment !== undefined) debitFor(world, payment, isReal);
  },
  async back(world, step) {
    const of = pick(
      world.movements.filter((each) => each.payment !== undefined && !each.isCredit),
      step.a,
    );
    if (of !== undefined) moneyBack(world, of, step);
  },
  async recall(world, step) {
    const of = pick(
      world.movements.filter((each) => each.payment === undefined && each.isCredit),
      step.a,
    );
    if (of !== undefined) moneyBack(world, of, step);
  },
  state: (world, { a, isOther }) => state(world, CURRENCIES[a % 2] ?? 'EUR', isOther),
  async withdraw(world, { a }) {
    const file = pick(
      world.files.filter((each) => !each.isWithdrawn),
      a,
    );
    if (file !== undefined) await withdrawFile(world, file);
  },
  async again(world, { a }) {
    const file = pick(
      world.files.filter((each) => each.isWithdrawn),
      a,
    );
    if (file !== undefined) await importAgain(world, file);
  },
  async spend(world, { a, isOther }) {
    const amount = ['300.00', '700.00', '500.00'][a % 3] ?? '300.00';
    if (isOther) return newTrade(world, world.holder, amount);
    const path = `customers/${typeId('cus', world.holder.customerId)}/balances/withdrawals`;
    return act(world, path, { currency: 'USD', amount, ...REASON });
  },
  /** By hand, with what the bank has told or may tell, as much or not, or under a reference of its own. */
  async 'top up'(world, { a, b, isOther }) {
    const credit = pick(
      world.movements.filter(({ isCredit, payment, currency }) => isCredit && !payment && currency === 'USD'),
      a,
    );
    const reference = credit === undefined || b % 4 === 3 ? `BY-HAND-${++world.counter.count}` : credit.id;
    const exact = credit?.minor ?? 70_000n;
    const minor = isOther ? exact + (b % 2 === 0 ? 100n : -100n) : exact;
    const path = `customers/${typeId('cus', world.holder.customerId)}/balances/top-ups`;
    const body = { currency: 'USD', amount: amountOf(minor, 'USD'), bankReference: reference };
    if ((await act(world, path, body)).status === 201) world.topUps.push({ reference, minor });
  },
  async unwind(world, { a }) {
    const trade = pick(world.trades, a);
    if (trade !== undefined) await act(world, `transactions/${trade.transactionId}/unwind`);
  },
  async solve(world, { a, b }) {
    const exception = pick((await get(world, 'exceptions?status=open&limit=100')).items, a);
    if (exception === undefined) return;
    const { orders } = await get(world, `exceptions/${(exception as { exceptionId: string }).exceptionId}`);
    const order = pick(orders as Order[], b);
    if (order !== undefined) await obey(world, order, b);
  },
  async say(world, { a, b }) {
    const trade = pick(world.trades, a);
    const verbs = [
      ...['payout-confirmed', 'payout-failed', 'retry-payout', 'refund-paid', 'refund-failed'],
      ...['retry-refund', 'refund-excess'],
    ];
    if (trade !== undefined) await act(world, `transactions/${trade.transactionId}/${pick(verbs, b)}`);
  },
  async entry(world, { a, b, isOther }) {
    const entry = pick(await entriesOfStory(world), a);
    if (entry === undefined) return;
    const verbs = ['never-booked', 'never-booked', 'another', 'same', 'match', 'book'];
    const order = { order: 'x', path: `/v1/operator/statement-entries/${entry.entryId}/${pick(verbs, b)}` };
    await obey(world, { ...order, body: isOther && b % 6 < 2 ? { as: 'bank_charges' } : {} }, a);
  },
  async deposit(world, { a, b, isOther }) {
    const depositId = pick(await depositsOfStory(world), a);
    if (depositId === undefined) return;
    const verb = pick(['unmatch', 'return', 'match', 'return', 'book', 'ignore'], b);
    const body: Record<string, string> = isOther && verb === 'return' ? { returnedBy: 'remitter_bank' } : {};
    await obey(world, { order: 'x', path: `/v1/operator/deposits/${depositId}/${verb}`, body }, b);
  },
  async return(world, { a, b }) {
    const paths: string[] = [];
    for (const depositId of await depositsOfStory(world)) {
      const { returns } = await get(world, `deposits/${depositId}`);
      for (const { returnId } of returns) paths.push(`deposits/${depositId}/returns/${returnId}`);
    }
    const path = pick(paths, a);
    const verb = ['paid', 'failed', 'cancel'][b % 3];
    if (path !== undefined) await act(world, `${path}/${verb}`, REASON);
  },
  async withdrawal(world, { a, b }) {
    const { items } = await get(world, 'withdrawals?limit=50');
    const own = (items as { withdrawalId: string; customerId: string }[]).filter(
      (each) => each.customerId === typeId('cus', world.holder.customerId),
    );
    const withdrawal = pick(own, a);
    const verb = ['paid', 'failed', 'cancel'][b % 3];
    if (withdrawal !== undefined) await act(world, `withdrawals/${withdrawal.withdrawalId}/${verb}`);
  },
};

export async function entriesOfStory(world: World): Promise<ShownEntry[]> {
  const entries: ShownEntry[] = [];
  for (const { fileId } of world.files) entries.push(...(await entriesOf(world.server, fileId)));
  return entries;
}

export async function depositsOfStory(world: World): Promise<string[]> {
  const ids = (await entriesOfStory(world)).map(({ depositId }) => depositId as string | null);
  return [...new Set(ids)].filter((id) => id !== null);
}

export async function take(world: World, step: Step): Promise<void> {
  world.log.push(`# ${JSON.stringify(step)}`);
  await STEPS[step.kind](world, step);
  await sweep(world);
}

export interface Order {
  readonly order: string;
  readonly path: string;
  readonly body: Readonly<Record<string, string>>;
}

/** Does what an exception suggests, with what a person would add to it. */
export async function obey(world: World, { path, body }: Order, choice: number) {
  const [, room, , verb = ''] = /\/v1\/operator\/([a-z-]+)\/([a-z0-9_]+)\/(.*)$/.exec(path) ?? [];
  const trade = pick(world.trades, choice);
  const more = ((): object => {
    if (room === 'transactions' || room === 'withdrawals') return {};
    if (room === 'exceptions') {
      if (verb === 'resolve') return { resolution: 'settled_outside', note: 'seen' };
      return verb === 'assign' ? { assignee: 'ann', note: 'seen' } : {};
    }
    if (room === 'statement-entries') {
      if (verb === 'book') return { as: 'house_funds', ...REASON };
      if (verb === 'match') {
        const purpose = choice % 2 === 0 ? 'payout' : 'refund';
        return { transactionId: trade?.transactionId, purpose, ...REASON };
      }
      if (verb === 'same' && body.as === undefined) return { as: path.split('/')[4], ...REASON };
      return REASON;
    }
    if (verb === 'book') return { as: 'house_funds', ...REASON };
    if (verb === 'return') return body.returnedBy === undefined ? { account: ACCOUNT, ...REASON } : REASON;
    if (verb === 'match') {
      const isTopUp = choice % 3 === 0;
      const balance = { customerId: typeId('cus', world.holder.customerId) };
      return isTopUp
        ? { balance, ...REASON }
        : { allocations: [{ transactionId: trade?.transactionId }], ...REASON };
    }
    return REASON;
  })();
  return act(world, path, { ...body, ...more });
}
