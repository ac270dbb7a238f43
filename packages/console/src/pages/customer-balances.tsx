import type { OperatorWithdrawal } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { Action, versionTag } from '../parts/action.tsx';
import { CommandAction } from '../parts/command-action.tsx';
import { Fact } from '../parts/facts.tsx';
import { Choice, type Column, Listing } from '../parts/listing.tsx';
import { MONEY_ASKED, REASON, text } from '../parts/page-command.ts';
import { Empty, View } from '../parts/states.tsx';
import { At, Money, Status, Verbatim, words } from '../parts/text.tsx';
import { TopUps } from './customer-top-ups.tsx';
import { withdrawalCommands } from './withdrawal-commands.ts';

/** What a customer holds with the house, what was withdrawn from it, and what people do about both. */
export function Balances({ customerId }: { readonly customerId: string }) {
  const query = useQuery({
    queryKey: ['customer-balances', customerId],
    queryFn: () => operator.getCustomerBalances(customerId),
    refetchInterval: 15_000,
  });
  return (
    <div className="stack">
      <section className="card" aria-labelledby="balances">
        <h2 id="balances">Balances</h2>
        <View query={query}>
          {({ items, debts, topUpReference }) => (
            <dl className="facts">
              {items.map(({ currency, available }) => (
                <Fact key={currency} name={currency}>
                  <Money amount={available} currency={currency} />
                </Fact>
              ))}
              {items.length === 0 && <Fact name="Available">Nothing</Fact>}
              {debts.map(({ currency, amount }) => (
                <Fact key={currency} name="Owed, apart from open trades">
                  <Money amount={amount} currency={currency} />
                </Fact>
              ))}
              <Fact name="Reference for payments into it">
                <span className="mono">{topUpReference}</span>
              </Fact>
            </dl>
          )}
        </View>
        <div className="actions">
          <TopUp customerId={customerId} />
          <Withdraw customerId={customerId} />
          <EndDebt customerId={customerId} end="payment" isOver={query.data?.debts.length === 0} />
          <EndDebt customerId={customerId} end="write-off" isOver={query.data?.debts.length === 0} />
        </div>
      </section>
      <TopUps customerId={customerId} />
      <Withdrawals customerId={customerId} />
    </div>
  );
}

function TopUp({ customerId }: { readonly customerId: string }) {
  return (
    <Action
      name="top-up"
      label="Top up"
      scope="operator:funding"
      why="balance_top_up"
      asks={[...MONEY_ASKED, { name: 'bankReference', label: "The bank's reference" }]}
      send={({ currency, amount, bankReference }, options) =>
        operator.topUpBalance(
          customerId,
          { currency: text(currency), amount: text(amount), bankReference: text(bankReference) },
          options,
        )
      }
      done="It is on the balance."
    >
      <p>
        For money that is at the bank and that no statement has listed yet. One reference of the bank counts
        once; the deposit of a later statement takes the place of this.
      </p>
    </Action>
  );
}

function Withdraw({ customerId }: { readonly customerId: string }) {
  return (
    <Action
      name="withdraw"
      label="Withdraw"
      scope="operator:payouts"
      why="none"
      asks={[...MONEY_ASKED, REASON]}
      send={({ currency, amount, reason }, options) =>
        operator.withdrawForCustomer(
          customerId,
          { currency: text(currency), amount: text(amount), reason: text(reason) },
          options,
        )
      }
      done="It goes out in the next run."
    >
      <p>It is paid to the customer's account in that currency.</p>
    </Action>
  );
}

const DEBT_ENDS = {
  payment: {
    label: 'Pay debt',
    done: 'The balance has paid it.',
    about: 'Taken from the balance, at most what is owed apart from open trades. The customer is told.',
  },
  'write-off': {
    label: 'Write off debt',
    done: 'It is written off.',
    about: 'The house bears it. It counts among its charges.',
  },
} as const;

interface EndDebtProps {
  readonly customerId: string;
  readonly end: keyof typeof DEBT_ENDS;
  /** Nothing is owed. */
  readonly isOver: boolean;
}

function EndDebt({ customerId, end, isOver }: EndDebtProps) {
  const { label, done, about } = DEBT_ENDS[end];
  return (
    <Action
      name={`debt-${end}`}
      label={label}
      isOver={isOver}
      scope="operator:funding"
      why="none"
      asks={[...MONEY_ASKED, REASON]}
      send={({ currency, amount, reason }, options) => {
        const asked = { currency: text(currency), amount: text(amount), reason: text(reason) };
        return end === 'payment'
          ? operator.payDebtFromBalance(customerId, asked, options)
          : operator.writeOffDebt(customerId, asked, options);
      }}
      done={done}
    >
      <p>{about}</p>
    </Action>
  );
}

function Withdrawals({ customerId }: { readonly customerId: string }) {
  const mayAct = may(useSession(), 'operator:payouts');
  return (
    <section aria-labelledby="withdrawals">
      <h2 id="withdrawals">Withdrawals</h2>
      <div className="filters">
        <Choice
          name="status"
          label="Status"
          options={['pending', 'paid', 'failed', 'cancelled'].map((each) => [each, words(each)] as const)}
        />
      </div>
      <Listing
        name="List of withdrawals"
        about={customerId}
        filters={['status']}
        read={(query, cursor) =>
          operator.listAllWithdrawals({ ...query, customerId, cursor, limit: 50 } as never)
        }
        columns={[...COLUMNS, ...(mayAct ? [WORK] : [])]}
        idOf={({ withdrawalId }) => withdrawalId}
        empty={
          <Empty title="No withdrawals">
            <p>Nothing was withdrawn from these balances.</p>
          </Empty>
        }
      />
    </section>
  );
}

const COLUMNS: readonly Column<OperatorWithdrawal>[] = [
  { name: 'Requested', cell: ({ createdAt }) => <At at={createdAt} /> },
  { name: 'Reference', cell: ({ reference }) => <span className="mono">{reference}</span> },
  {
    name: 'Amount',
    isNumber: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  {
    name: 'Status',
    cell: ({ status, failure }) => (
      <>
        <Status of={status} /> {failure !== null && words(failure)}
      </>
    ),
  },
  { name: 'To', cell: ({ destinationMasked }) => <span className="mono">{destinationMasked}</span> },
  {
    name: 'Why',
    isText: true,
    cell: ({ detail, reason }) => {
      const why = detail ?? reason;
      return why === null ? '–' : <Verbatim text={why} />;
    },
  },
];

const WORK: Column<OperatorWithdrawal> = {
  name: 'Actions',
  cell: (withdrawal) => <WithdrawalWork of={withdrawal} />,
};

/** One that is open stays when its command is given, and says what became of it. */
function WithdrawalWork({ of }: { readonly of: OperatorWithdrawal }) {
  return (
    <span className="actions">
      {withdrawalCommands(of).map(({ name, command, isPossible }) => (
        <CommandAction
          key={name}
          name={`${name}-${of.withdrawalId}`}
          command={command}
          subject={of}
          ids={[of.withdrawalId]}
          isPossible={isPossible}
          version={versionTag(of.version)}
          label={SHORT[name] ?? command.label}
          title={`${command.label}: ${of.reference}`}
        />
      ))}
    </span>
  );
}

/** On a row that says of which withdrawal. */
const SHORT: Readonly<Record<string, string>> = {
  paid: 'Paid',
  failed: 'Failed',
  redirect: 'Redirect',
  cancel: 'Cancel',
};
