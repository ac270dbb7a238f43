import type { Customer, CustomerLimits } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { mayRead } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { parseLimit } from '../money/amount.ts';
import { Action, type Asked, type Given, versionTag } from '../parts/action.tsx';
import { Fact } from '../parts/facts.tsx';
import { View } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { At, Money, Status, Verbatim, words } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { Way } from '../parts/way.tsx';
import { check } from '../parts/written-forms.ts';
import { EffectiveSpreads } from '../spreads/effective.tsx';
import { Credentials } from './credentials.tsx';
import { Accounts } from './customer-accounts.tsx';
import { Balances } from './customer-balances.tsx';
import { PayingIn } from './customer-paying-in.tsx';
import { CustomerStatementOf } from './customer-statement.tsx';

/** Why customers are suspended; the free text stands behind it. */
const SUSPENSIONS = [
  ['customer_request', 'The customer asked for it'],
  ['compliance', 'Compliance'],
  ['credit', 'Credit'],
  ['security', 'Security'],
  ['other', 'Something else'],
] as const;

export function CustomerPage() {
  const { customerId } = useParams({ from: '/customers/$customerId' as never }) as { customerId: string };
  const query = useQuery({
    queryKey: ['customer', customerId],
    queryFn: () => operator.getCustomer(customerId),
    refetchInterval: 15_000,
  });
  useTitle(query.data?.name ?? 'Customer');
  return (
    <View query={query}>
      {(customer) => (
        <>
          <Head of={customer} />
          <Tabs
            tabs={[
              { name: 'limits', text: 'Limits and use', show: () => <Overview of={customer} /> },
              {
                name: 'accounts',
                text: 'Accounts',
                reads: ['listSettlementInstructions'],
                show: () => <Accounts customerId={customerId} />,
              },
              {
                name: 'balances',
                text: 'Balances',
                reads: ['getCustomerBalances', 'listAllWithdrawals'],
                show: () => <Balances customerId={customerId} />,
              },
              {
                name: 'statement',
                text: 'Statement',
                reads: ['getCustomerStatement'],
                show: () => <CustomerStatementOf customerId={customerId} />,
              },
              {
                name: 'paying-in',
                text: 'Paying in',
                reads: ['listVirtualAccounts', 'listRemitters'],
                show: () => <PayingIn customerId={customerId} />,
              },
              {
                name: 'spreads',
                text: 'Spreads',
                reads: ['getSpreadRules', 'listPrices'],
                show: () => <EffectiveSpreads of={customer} />,
              },
              {
                name: 'credentials',
                text: 'Credentials',
                reads: ['listCredentials'],
                show: () => <Credentials customerId={customerId} />,
              },
            ]}
          />
        </>
      )}
    </View>
  );
}

function Head({ of: { customerId, name, status } }: { readonly of: Customer }) {
  return (
    <div className="page-head">
      <h1>
        <Verbatim text={name} />
      </h1>
      <Status of={status} mood={status === 'active' ? 'ok' : 'warn'} />
      <span className="mono dim">{customerId}</span>
      <Way className="button" to="/ledger" search={{ customerId }} instead={null}>
        Ledger
      </Way>
    </div>
  );
}

function Overview({ of }: { readonly of: Customer }) {
  const seesLimits = mayRead(useSession(), 'getLimitUsage');
  return (
    <div className="grid">
      {seesLimits && <Limits customerId={of.customerId} />}
      <section className="card">
        <h2>Customer</h2>
        <dl className="facts">
          <Fact name="Group">{of.groupName === null ? 'None' : <Verbatim text={of.groupName} />}</Fact>
          <Fact name="Your reference">
            {of.externalReference === null ? 'None' : <Verbatim text={of.externalReference} />}
          </Fact>
          {of.statusReason !== null && (
            <Fact name="Suspended because">
              <Verbatim text={of.statusReason} />
            </Fact>
          )}
          <Fact name="Funding">{words(of.settings.fundingMode)}</Fact>
          <Fact name="Third-party payments">{words(of.settings.thirdPartyPayments)}</Fact>
          <Fact name="Pricing disclosure">{words(of.settings.pricingDisclosure)}</Fact>
          <Fact name="Quote validities">{of.settings.permittedValidities.join(', ')} s</Fact>
          <Fact name="Changed">
            <At at={of.updatedAt} />
          </Fact>
        </dl>
        <div className="actions">
          <Changes of={of} />
          <Way className="button" to="/transactions" instead={null} search={{ customerId: of.customerId }}>
            Transactions
          </Way>
          <Way className="button" to="/audit" instead={null} search={{ subject: of.customerId }}>
            Audit
          </Way>
        </div>
      </section>
    </div>
  );
}

function Changes({ of }: { readonly of: Customer }) {
  return (
    <>
      <EditCustomer of={of} />
      <SuspendCustomer of={of} />
      <Action
        isOver={of.status === 'active'}
        name="resume"
        label="Resume"
        title="Let the customer trade again"
        scope="operator:customers"
        why="halt_lifted"
        send={(_, options) => operator.resumeCustomer(of.customerId, options)}
        done="The customer may trade again."
      />
    </>
  );
}

function EditCustomer({ of }: { readonly of: Customer }) {
  return (
    <Action
      name="edit"
      label="Change"
      title="Change the customer"
      scope="operator:customers"
      version={versionTag(of.version)}
      why="customer_terms"
      asks={[
        { name: 'name', label: 'Name', initial: of.name },
        { name: 'group', label: 'Group', initial: of.groupName ?? '', isOptional: true },
        {
          name: 'reference',
          label: 'Your reference',
          initial: of.externalReference ?? '',
          isOptional: true,
        },
      ]}
      send={({ name, group, reference }, { reason, ifMatch }) =>
        operator.updateCustomer(
          of.customerId,
          {
            name: name?.trim() ?? '',
            groupName: group?.trim() || null,
            externalReference: reference?.trim() || null,
          },
          { reason, ifMatch },
        )
      }
      done="The customer is updated."
    />
  );
}

function SuspendCustomer({ of }: { readonly of: Customer }) {
  return (
    <Action
      isOver={of.status !== 'active'}
      name="suspend"
      label="Suspend"
      title="Suspend the customer"
      scope="operator:customers"
      asks={[
        { name: 'code', label: 'Reason', options: SUSPENSIONS },
        { name: 'note', label: 'Details', isOptional: true, rows: 2 },
      ]}
      send={({ code, note }, { idempotencyKey }) =>
        operator.suspendCustomer(
          of.customerId,
          { reason: [code, note?.trim()].filter(Boolean).join(': ') },
          { idempotencyKey },
        )
      }
      done="The customer is suspended."
    >
      <p>
        It can neither quote nor execute, and its open quotes are withdrawn. The customer does not see why.
      </p>
    </Action>
  );
}

function Limits({ customerId }: { readonly customerId: string }) {
  const query = useQuery({
    queryKey: ['limits', customerId],
    queryFn: async () => {
      const [limits, usage] = await Promise.all([
        operator.getCustomerLimits(customerId).withResponse(),
        operator.getLimitUsage(customerId),
      ]);
      return { limits: limits.data, version: limits.etag, usage };
    },
    refetchInterval: 10_000,
  });
  return (
    <section className="card">
      <h2>Limits</h2>
      <View query={query}>
        {({ limits, version, usage }) => (
          <div className="stack">
            <Used name="Daily volume" {...usage.dailyVolume} currency={limits.currency} />
            <Used name="Open position" {...usage.openPosition} currency={limits.currency} />
            <dl className="facts">
              <Fact name="Largest trade">
                <Money amount={limits.singleTrade} currency={limits.currency} />
              </Fact>
              <Fact name="Open quotes">{limits.maxOpenQuotes}</Fact>
              <Fact name="The day ends">
                <At at={usage.resetsAt} />
              </Fact>
            </dl>
            <div className="actions">
              <ChangeLimits customerId={customerId} limits={limits} version={version} />
            </div>
          </div>
        )}
      </View>
    </section>
  );
}

function ChangeLimits({
  customerId,
  limits,
  version,
}: {
  readonly customerId: string;
  readonly limits: CustomerLimits;
  readonly version: string | undefined;
}) {
  return (
    <Action
      name="limits"
      label="Change limits"
      scope="operator:limits"
      why="limits"
      version={version}
      asks={LIMITS.map((asked) => ({
        ...asked,
        initial: String(limits[asked.name as keyof typeof limits]),
      }))}
      send={(given, { reason, ifMatch }) =>
        operator.setCustomerLimits(
          customerId,
          {
            currency: 'USD',
            dailyVolume: amountOf(given, 'dailyVolume'),
            openPosition: amountOf(given, 'openPosition'),
            singleTrade: amountOf(given, 'singleTrade'),
            maxOpenQuotes: Number.parseInt(given.maxOpenQuotes ?? '', 10),
            rates: limits.rates,
          },
          { reason, ifMatch },
        )
      }
      done="The new limits are in force."
    />
  );
}

const amountIsWrong = (text: string) => {
  const parsed = parseLimit(text, 2);
  return parsed.ok ? undefined : parsed.why;
};
const LIMITS: readonly Asked[] = [
  { name: 'dailyVolume', label: 'Daily volume, USD', check: amountIsWrong },
  { name: 'openPosition', label: 'Open position, USD', check: amountIsWrong },
  { name: 'singleTrade', label: 'Largest trade, USD', check: amountIsWrong },
  { name: 'maxOpenQuotes', label: 'Open quotes', check: check(/^\d{1,7}$/, 'Enter a whole number.') },
];

function amountOf(given: Given, name: string): string {
  const parsed = parseLimit(given[name] ?? '', 2);
  return parsed.ok ? parsed.amount : '';
}

function Used({
  name,
  used,
  limit,
  currency,
}: {
  readonly name: string;
  readonly used: string;
  readonly limit: string;
  readonly currency: string;
}) {
  const share = percent(used, limit);
  return (
    <div>
      <div>
        {name} <b>{share} %</b>
      </div>
      <progress aria-label={name} max={100} value={Math.min(100, share)} />
      <p className="hint">
        <Money amount={used} currency={currency} /> of <Money amount={limit} currency={currency} />
      </p>
    </div>
  );
}

/** How much of a limit is used, in whole percent, rounded down: computed on minor units. */
function percent(used: string, limit: string): number {
  const minor = (amount: string) => BigInt(amount.replace('.', ''));
  const whole = minor(limit);
  if (whole === 0n) return minor(used) === 0n ? 0 : 100;
  return Number.parseInt(String((minor(used) * 100n) / whole), 10);
}
