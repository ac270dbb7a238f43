import type { CollectionAccount } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { CommandAction } from '../parts/command-action.tsx';
import { type Column, Table } from '../parts/listing.tsx';
import { OfCurrency } from '../parts/of-currency.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, Status, Verbatim } from '../parts/text.tsx';
import { collectionAccountCommand, RELEASE_COLLECTION_ACCOUNT } from './collection-commands.ts';

export function useCollectionAccounts() {
  return useQuery({
    queryKey: ['collection-accounts'],
    queryFn: async () => (await operator.listCollectionAccounts()).items,
    refetchInterval: 15_000,
  });
}

/** The accounts that customers pay into, and payouts leave from: one of each currency, and the one that waits to replace it. */
export function CollectionAccounts() {
  const mayChange = may(useSession(), 'operator:house-accounts');
  const query = useCollectionAccounts();
  return (
    <div className="stack">
      {mayChange && (
        <div className="actions">
          <CommandAction
            name="account"
            command={collectionAccountCommand(undefined)}
            subject={undefined}
            ids={[]}
            isPossible
          />
        </div>
      )}
      <View query={query}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="No account yet">
              <p>Without one in its currency, a customer cannot be told where to pay.</p>
            </Empty>
          ) : (
            <OfCurrency items={items}>
              {(shown) => (
                <Table
                  label="Collection accounts"
                  items={shown}
                  idOf={({ currency }) => currency}
                  columns={mayChange ? [...COLUMNS, WORK] : COLUMNS}
                />
              )}
            </OfCurrency>
          )
        }
      </View>
    </div>
  );
}

type Place = Pick<CollectionAccount, 'accountHolder' | 'bankName' | 'iban' | 'accountNumber' | 'bic'>;

function PlaceToPay({ of: { accountHolder, bankName, iban, accountNumber, bic } }: { readonly of: Place }) {
  return (
    <>
      <Verbatim text={accountHolder} />
      {bankName !== null && (
        <>
          , <Verbatim text={bankName} />
        </>
      )}
      <div className="mono">{iban ?? accountNumber}</div>
      {bic !== null && <div className="mono dim">{bic}</div>}
    </>
  );
}

const COLUMNS: readonly Column<CollectionAccount>[] = [
  { name: 'Currency', cell: ({ currency }) => <b>{currency}</b> },
  { name: 'Account', isText: true, cell: (account) => <PlaceToPay of={account} /> },
  { name: 'Rails', isText: true, cell: ({ rails }) => (rails.length === 0 ? '–' : rails.join(', ')) },
  {
    name: 'Replaced by',
    isText: true,
    cell: ({ next }) =>
      next === null ? (
        '–'
      ) : (
        <>
          <PlaceToPay of={next} />
          <Status of="waits" mood="warn" /> until <At at={next.usableFrom} />
        </>
      ),
  },
  { name: 'Changed', cell: ({ updatedAt }) => <At at={updatedAt} /> },
];

const WORK: Column<CollectionAccount> = {
  name: 'Actions',
  cell: (account) => (
    <span className="actions">
      <CommandAction
        name={`account-${account.currency}`}
        command={collectionAccountCommand(account)}
        subject={undefined}
        ids={[account.currency]}
        isPossible
        title={`Change the ${account.currency} account`}
      />
      <CommandAction
        name={`release-${account.currency}`}
        command={RELEASE_COLLECTION_ACCOUNT}
        subject={undefined}
        ids={[account.currency]}
        isPossible={account.next !== null}
        title={`Release the ${account.currency} account before its wait ends`}
      />
    </span>
  ),
};
