import type { Customer } from '@firmquote/client/operator';
import { useNavigate } from '@tanstack/react-router';
import { operator } from '../api/session.ts';
import { Action } from '../parts/action.tsx';
import { Fact } from '../parts/facts.tsx';
import { Choice, type Column, Entry, Listing } from '../parts/listing.tsx';
import { Empty } from '../parts/states.tsx';
import { At, Money, Status, Verbatim } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { Way } from '../parts/way.tsx';

const COLUMNS: readonly Column<Customer>[] = [
  {
    name: 'Name',
    isText: true,
    cell: ({ customerId, name }) => (
      <Way to="/customers/$customerId" params={{ customerId }}>
        <Verbatim text={name} />
      </Way>
    ),
  },
  { name: 'Group', cell: ({ groupName }) => (groupName === null ? '–' : <Verbatim text={groupName} />) },
  {
    name: 'Reference',
    isText: true,
    cell: ({ externalReference }) =>
      externalReference === null ? '–' : <Verbatim text={externalReference} />,
  },
  {
    name: 'Status',
    cell: ({ status }) => <Status of={status} mood={status === 'active' ? 'ok' : 'warn'} />,
  },
  { name: 'Since', cell: ({ createdAt }) => <At at={createdAt} /> },
];

export function Customers() {
  useTitle('Customers');
  return (
    <>
      <div className="page-head">
        <h1>Customers</h1>
        <NewCustomer />
      </div>
      <div className="filters">
        <Entry name="search" label="Name or reference" />
        <Choice
          name="status"
          label="Status"
          options={[
            ['active', 'Active'],
            ['suspended', 'Suspended'],
          ]}
        />
        <Entry name="groupName" label="Group" />
      </div>
      <Listing
        name="Customers"
        filters={['search', 'status', 'groupName']}
        read={(query, cursor) => operator.listCustomers({ ...query, cursor, limit: 50 } as never)}
        columns={COLUMNS}
        idOf={({ customerId }) => customerId}
        empty={
          <Empty title="No customers yet">
            <p>Create the first one above. It needs a payout account to trade.</p>
          </Empty>
        }
      />
    </>
  );
}

function NewCustomer() {
  const navigate = useNavigate();
  return (
    <Action
      name="create"
      label="New customer"
      action="Create customer"
      isFirst
      scope="operator:customers"
      asks={[
        { name: 'name', label: 'Name' },
        {
          name: 'groupName',
          label: 'Group',
          isOptional: true,
          hint: 'Customers in a group share spreads.',
        },
        { name: 'externalReference', label: 'Your reference', isOptional: true },
      ]}
      send={({ name, groupName, externalReference }, { idempotencyKey }) =>
        operator.createCustomer(
          {
            name: name?.trim() ?? '',
            groupName: given(groupName),
            externalReference: given(externalReference),
          },
          { idempotencyKey },
        )
      }
      done="The customer is created. It can trade once it has a payout account."
      onDone={(answer) =>
        void navigate({
          to: '/customers/$customerId',
          params: { customerId: (answer as Customer).customerId } as never,
        })
      }
    >
      <FirstLimits />
    </Action>
  );
}

/** What the service gives a customer who is new. */
const FIRST_LIMITS = [
  ['Daily volume', '10000000.00'],
  ['Open position', '20000000.00'],
  ['Largest trade', '5000000.00'],
] as const;

/** Before it is made: how much it may trade until somebody says otherwise. */
function FirstLimits() {
  return (
    <>
      <p>It starts with these limits. You can change them on its page.</p>
      <dl className="facts">
        {FIRST_LIMITS.map(([name, amount]) => (
          <Fact key={name} name={name}>
            <Money amount={amount} currency="USD" />
          </Fact>
        ))}
      </dl>
    </>
  );
}

function given(text: string | undefined): string | null {
  return text === undefined || text.trim() === '' ? null : text.trim();
}
