import type { BankStatement, CollectionAccount } from '@firmquote/client/operator';
import type { ReactNode } from 'react';
import { mayRead } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { useCollectionAccounts } from '../house/collection-accounts.tsx';
import { Choice, type Column, Entry, Listing, useFilters } from '../parts/listing.tsx';
import { Empty } from '../parts/states.tsx';
import { Money, Status, Verbatim, words } from '../parts/text.tsx';
import { Way } from '../parts/way.tsx';
import { DAY, readAccount } from '../parts/written-forms.ts';
import { ENTRY_COLUMNS } from './entry-columns.tsx';

/** What banks have told of one account of the house, whichever files told it. */
export function AccountOverTime() {
  const { account, from } = useFilters().search;
  return (
    <>
      <div className="filters">
        {mayRead(useSession(), 'listCollectionAccounts') && <HouseAccounts />}
        <Entry name="account" label="Account" read={readAccount} />
        <Entry name="from" label="From" form={DAY} />
        <Entry name="to" label="To" form={DAY} />
        <Choice
          name="direction"
          label="Entries"
          options={[
            ['credit', 'Received'],
            ['debit', 'Paid'],
          ]}
        />
      </div>
      {account === undefined ? (
        <Empty title="Choose an account">
          <p>By its IBAN or number, as the bank's statements write it.</p>
        </Empty>
      ) : from === undefined ? (
        <Empty title="Choose the days">
          <p>At most 92 at once, by booking date.</p>
        </Empty>
      ) : (
        <Told account={account} />
      )}
    </>
  );
}

/** Those that customers pay into, to choose from. */
function HouseAccounts() {
  const { data = [] } = useCollectionAccounts();
  const options = [...Map.groupBy(data, numberOf)].map(
    ([number, accounts]) =>
      [number, `${accounts.map(({ currency }) => currency).join(', ')} ${number}`] as const,
  );
  return <Choice name="account" label="Of the house" all="Choose one" options={options} />;
}

function numberOf({ iban, accountNumber }: CollectionAccount): string {
  return iban ?? accountNumber ?? '';
}

function AccountLink({
  account,
  days = {},
  children,
}: {
  readonly account: string;
  readonly days?: Readonly<Record<string, string>>;
  readonly children: ReactNode;
}) {
  return (
    <Way to="/statements" search={{ tab: 'account', account, ...days }}>
      {children}
    </Way>
  );
}

const DAYS = ['account', 'from', 'to'] as const;

function Told({ account }: { readonly account: string }) {
  return (
    <div className="stack">
      <section aria-labelledby="told">
        <div className="page-head">
          <h2 id="told">Statements</h2>
        </div>
        <Listing
          name="Statements of the account"
          about={account}
          filters={DAYS}
          read={(query, cursor) => operator.listAccountStatements({ ...query, cursor, limit: 50 } as never)}
          columns={STATEMENTS}
          idOf={({ statementId }) => statementId}
          empty={
            <Empty title="No statement of these days">
              <p>Statements that do not say which days they cover are not here.</p>
            </Empty>
          }
        />
      </section>
      <section aria-labelledby="entries">
        <div className="page-head">
          <h2 id="entries">Entries</h2>
        </div>
        <Listing
          name="Entries of the account"
          about={account}
          filters={[...DAYS, 'direction']}
          read={(query, cursor) => operator.listAccountEntries({ ...query, cursor, limit: 50 } as never)}
          columns={ENTRY_COLUMNS.filter(({ name }) => name !== 'Line')}
          idOf={({ entryId }) => entryId}
          empty={<Empty title="Nothing was booked on these days" />}
        />
      </section>
    </div>
  );
}

/** What a file says of each account, with the way to the rest of it. */
export function StatementsOfFile({ fileId }: { readonly fileId: string }) {
  return (
    <Listing
      name={`Statements of ${fileId}`}
      filters={[]}
      read={(_, cursor) => operator.listStatementsOfFile(fileId, { cursor, limit: 50 })}
      columns={[OF_ACCOUNT, ...STATEMENTS]}
      idOf={({ statementId }) => statementId}
      empty={null}
    />
  );
}

const OF_ACCOUNT: Column<BankStatement> = {
  name: 'Account',
  isText: true,
  cell: ({ account, from, to }) => (
    <AccountLink account={account} days={{ ...(from !== null && { from }), ...(to !== null && { to }) }}>
      <Verbatim text={account} />
    </AccountLink>
  ),
};

const STATEMENTS: readonly Column<BankStatement>[] = [
  {
    name: 'Number',
    isText: true,
    cell: ({ number, page }) => (
      <Verbatim text={[number ?? '–', ...(page === null ? [] : [`page ${page}`])].join(', ')} />
    ),
  },
  { name: 'From', cell: ({ from }) => from ?? '–' },
  { name: 'To', cell: ({ to }) => to ?? '–' },
  { name: 'Opening', isNumber: true, cell: ({ opening }) => balanceIn(opening) },
  { name: 'Closing', isNumber: true, cell: ({ closing }) => balanceIn(closing) },
  { name: 'Entries', isNumber: true, cell: ({ entries }) => entries },
  { name: 'Checked', isText: true, cell: (statement) => <Checked of={statement} /> },
];

function balanceIn(balance: BankStatement['opening']): ReactNode {
  return balance === null ? '–' : <Money amount={balance.amount} currency={balance.currency} />;
}

/** Whether it goes on where the one before ended, and counts. */
function Checked({ of }: { readonly of: BankStatement }) {
  const faults = [
    ...(of.ownAccount ? [] : ['not an account of the house']),
    ...(of.setAside === null ? [] : [words(of.setAside.reason)]),
    ...(of.correctedBy === null ? [] : ['corrected by a later one']),
    ...(of.missing === null ? [] : [missingInWords(of.missing)]),
    ...(of.openingMatches === false ? ['opening balance is not the closing one before'] : []),
  ];
  if (faults.length > 0) return <Status of={faults.join('; ')} mood="warn" />;
  if (of.openingMatches === null) return <Status of="nothing to compare with" mood="idle" />;
  return <Status of="goes on from the one before" mood="ok" />;
}

function missingInWords({ from, to }: NonNullable<BankStatement['missing']>): string {
  return from === to ? `number ${from} is missing` : `numbers ${from} to ${to} are missing`;
}
