import type { TopUp } from '@firmquote/client/operator';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { Action } from '../parts/action.tsx';
import { type Column, Listing } from '../parts/listing.tsx';
import { REASON, text } from '../parts/page-command.ts';
import { Empty } from '../parts/states.tsx';
import { At, Money, Status, Verbatim } from '../parts/text.tsx';

/** What people have booked to a customer's balances before a bank told of it, and what became of it. */
export function TopUps({ customerId }: { readonly customerId: string }) {
  const mayAct = may(useSession(), 'operator:funding');
  const work: Column<TopUp> = {
    name: 'Actions',
    cell: (topUp) => <Reverse customerId={customerId} topUp={topUp} />,
  };
  return (
    <section aria-labelledby="top-ups">
      <h2 id="top-ups">Topped up by hand</h2>
      <Listing
        name="List of top-ups by hand"
        about={customerId}
        filters={[]}
        read={(_, cursor) => operator.listTopUps(customerId, { cursor, limit: 50 } as never)}
        columns={[...COLUMNS, ...(mayAct ? [work] : [])]}
        idOf={({ bankReference, bookedAt }) => `${bankReference} ${bookedAt}`}
        empty={
          <Empty title="No top-ups by hand">
            <p>Whatever is on these balances came by a bank's file.</p>
          </Empty>
        }
      />
    </section>
  );
}

const COLUMNS: readonly Column<TopUp>[] = [
  { name: 'Booked', cell: ({ bookedAt }) => <At at={bookedAt} /> },
  {
    name: "The bank's reference",
    cell: ({ bankReference }) => <span className="mono">{bankReference}</span>,
  },
  {
    name: 'Amount',
    isNumber: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  { name: 'Status', cell: ({ status }) => <Status of={status} /> },
  {
    name: 'Why',
    isText: true,
    cell: ({ reason }) => (reason === null ? '–' : <Verbatim text={reason} />),
  },
];

interface ReverseProps {
  readonly customerId: string;
  readonly topUp: TopUp;
}

function Reverse({ customerId, topUp: { bankReference, bookedAt, status, amount, currency } }: ReverseProps) {
  return (
    <Action
      name={`reverse-${bankReference}-${bookedAt}`}
      label="Reverse"
      title={`Reverse the top-up ${bankReference}`}
      isOver={status !== 'booked'}
      scope="operator:funding"
      why="balance_top_up"
      asks={[
        REASON,
        {
          name: 'rest',
          label: 'If the balance no longer covers it',
          options: [
            ['', 'Do nothing'],
            ['owed', 'The customer owes the rest'],
          ],
          isOptional: true,
        },
      ]}
      send={({ reason, rest }, options) =>
        operator.reverseTopUp(
          customerId,
          { bankReference, reason: text(reason), ...(rest === 'owed' && { owesRest: true as const }) },
          options,
        )
      }
      done="It is reversed. The customer is told."
    >
      <p>
        For a top-up that was wrong, or whose money never came: <Money amount={amount} currency={currency} />{' '}
        is taken from the balance.
      </p>
    </Action>
  );
}
