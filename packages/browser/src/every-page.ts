/** What is asked of the service to fill it. */
interface Api {
  operate(method: string, path: string, body?: unknown): Promise<Filled>;
  call(
    method: string,
    path: string,
    options: { readonly body?: unknown; readonly headers: Record<string, string> },
  ): Promise<Filled>;
}
interface Filled {
  // biome-ignore lint/suspicious/noExplicitAny: answers of the service, whose own tests look at their form
  readonly body: any;
}

/** A page, or a layer over one, and what stands on it once it is there. */
export type Shown = readonly [path: string, what: string];

const terms = { sellCurrency: 'EUR', buyCurrency: 'USD', fixedSide: 'sell' };
const key = () => ({ 'Idempotency-Key': crypto.randomUUID() });

/** Trades, money that fits nothing, a customer's webhook: so that no page is empty. */
export async function furnish(service: Api) {
  await service.operate('POST', '/v1/sandbox/bank', { autoDeposit: false });
  // As wide as prices of a pair get, with as many pips between them.
  await service.operate('POST', '/v1/sandbox/market', { pair: 'EURCZK', bid: '24.37303', ask: '24.98321' });
  const trade = async (amount: string) => {
    const quote = await service.call('POST', '/v1/customer/quotes', {
      body: { ...terms, amount },
      headers: key(),
    });
    const path = `/v1/customer/quotes/${quote.body.quoteId}/execute`;
    return (await service.call('POST', path, { headers: key() })).body;
  };
  const [first] = [await trade('1200.00'), await trade('3400.00')];
  const deposits: string[] = [];
  for (const [bankReference, amount] of [
    ['EVERY1', '1200.00'],
    ['EVERY2', '17.00'],
  ]) {
    const deposit = { bankReference, amount, currency: 'EUR', remitterName: 'Sandbox customer' };
    deposits.push((await service.operate('POST', '/v1/operator/deposits', deposit)).body.depositId);
  }
  const { items } = (await service.operate('GET', '/v1/operator/customers')).body;
  const exceptions = (await service.operate('GET', '/v1/operator/exceptions')).body.items;
  return { trade: first, deposits, customerId: items[0].customerId, exceptionId: exceptions[0].exceptionId };
}

export type Furniture = Awaited<ReturnType<typeof furnish>>;

/** Of what the house has set, and of people: the same whatever there is to work on. */
const SET_UP: readonly Shown[] = [
  ['/spreads', 'main table'],
  ['/spreads?tab=premiums', 'main table input'],
  ['/spreads?tab=premiums&do=window', 'dialog input'],
  ['/spreads?tab=premiums&history=premiums', 'section[aria-label="Premiums so far"] .callout'],
  ['/spreads?tab=swap-points', 'main table input'],
  ['/house', 'main table input'],
  ['/house?do=currency', 'dialog input'],
  ['/house?history=exposure', 'section[aria-label="Limits of the exposure so far"] .callout'],
  ['/house?tab=sizes', 'main .callout, main table'],
  ['/house?tab=accounts', 'main table'],
  ['/house?tab=accounts&currency=EUR&do=account-EUR', 'dialog input'],
  ['/health', '.verdict'],
  ['/health/EURUSD', 'main table input'],
  ['/health/EURUSD?do=accept', 'dialog input'],
  ['/health/EURUSD?history=EURUSD', 'section[aria-label="Settings of EUR/USD so far"] .callout'],
  ['/health/EURUSD?history=points', 'section[aria-label="Swap points of EUR/USD so far"] .callout'],
  ['/webhooks', 'main .callout, main table'],
  ['/calendars', 'main table'],
  ['/calendars?do=day-USD', 'dialog input'],
  ['/calendars?tab=cut-offs', 'main table'],
  ['/calendars?tab=cut-offs&history=EUR', 'section[aria-label="Cut-offs of EUR so far"] .callout'],
  ['/people', 'main table'],
  ['/people?tab=persons', 'main table'],
  ['/people?tab=roles', 'main table'],
  ['/approvals?tab=policy', 'main table select'],
  ['/approvals?tab=policy&history=policy', 'section[aria-label="Rules for two persons so far"] .callout'],
  ['/people?tab=clients', 'main .grid .card'],
  ['/audit', 'main table'],
  ['/audit?tab=proof', 'main .callout, main table'],
  ['/audit?tab=keys', 'main table'],
  ['/nothing', 'text=There is no such page'],
];

export function everyPage({ trade, deposits, customerId, exceptionId }: Furniture): readonly Shown[] {
  const customer = `/customers/${customerId}`;
  const shown: readonly Shown[] = [
    ['/overview', '#attention'],
    ['/markets', '.tile[data-state="live"]'],
    ['/markets?ticket=new', '.drawer #ticket-customer:has(option)'],
    ['/quotes', 'main table'],
    [`/quotes/${trade.quoteId}`, 'text=How the price was made'],
    ['/transactions', 'main table'],
    [`/transactions/${trade.transactionId}`, 'text=How the price was made'],
    ['/exceptions', 'main table'],
    [`/exceptions/${exceptionId}`, 'text=What can be done'],
    [`/exceptions/${exceptionId}?do=assign`, 'dialog input'],
    ['/deposits', 'main table'],
    [`/deposits?deposit=${deposits[0]}`, '.candidate'],
    ['/deposits?do=record', 'dialog input'],
    ['/deposits?tab=rules', 'main table select'],
    ['/statements', '.drop'],
    ['/statements?tab=account', 'main .callout'],
    ['/statements?tab=mappings', 'main .callout'],
    ['/statements?tab=mappings&do=mapping', 'dialog select'],
    ['/payments?currency=EUR&valueDate=2026-12-01', '#due ~ .facts'],
    ['/bank', 'section[aria-labelledby="items"] :is(.more, .callout)'],
    ['/ledger', 'main table'],
    ['/ledger?tab=account', 'main .callout'],
    ['/ledger?tab=account&account=customer_receivable&currency=EUR', 'main table'],
    [`/ledger?tab=account&account=bank&currency=EUR&customerId=house`, 'main .facts'],
    ['/ledger?tab=journal', 'main table'],
    ['/ledger?tab=proof', 'main button.first'],
    ['/positions', '#result ~ .facts'],
    ['/reports', 'main table, main .callout'],
    ['/approvals', 'main table, main .callout'],
    ['/customers', 'main table'],
    ['/customers?do=create', 'dialog input'],
    ['/customers?search=nobody', 'text=Nothing fits these filters'],
    [customer, 'progress'],
    [`${customer}?tab=accounts`, 'section[aria-labelledby="address"] .hint'],
    [`${customer}?tab=accounts&do=address`, 'dialog input'],
    [`${customer}?tab=statement`, 'main .callout'],
    [`${customer}?tab=statement&from=2020-01-01`, 'main table'],
    [`${customer}?tab=paying-in`, 'section[aria-labelledby="remitters"] .callout'],
    [`${customer}?tab=spreads`, 'main table'],
    [`${customer}?tab=credentials`, 'main .grid .card'],
    ...SET_UP,
  ];
  return shown.map(([path, what]) => [`/console${path}`, what]);
}
