import type { Remitter, VirtualAccount } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { AccountStatus } from '../parts/account-status.tsx';
import { Actor } from '../parts/actor.tsx';
import { CommandAction } from '../parts/command-action.tsx';
import { type Column, Listing, Table } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, Verbatim } from '../parts/text.tsx';
import { isAhead } from '../parts/waiting.tsx';
import { Way } from '../parts/way.tsx';
import {
  ADD_VIRTUAL_ACCOUNT,
  CLOSE_VIRTUAL_ACCOUNT,
  FORGET_REMITTER,
  RELEASE_VIRTUAL_ACCOUNT,
} from './payer-commands.ts';

/** By which accounts money is known to be a customer's: those opened for it, and those that it has paid from. */
export function PayingIn({ customerId }: { readonly customerId: string }) {
  const mayChange = may(useSession(), 'operator:deposits');
  return (
    <div className="stack">
      <section aria-labelledby="virtual">
        <div className="page-head">
          <h2 id="virtual">Virtual accounts</h2>
          <CommandAction
            name="virtual"
            command={ADD_VIRTUAL_ACCOUNT}
            subject={undefined}
            ids={[customerId]}
            isPossible
          />
        </div>
        <Listing
          name="List of virtual accounts"
          about={customerId}
          filters={[]}
          read={(_, cursor) => operator.listVirtualAccounts(customerId, { cursor, limit: 50 } as never)}
          columns={[...VIRTUAL, ...(mayChange ? [virtualWork(customerId)] : [])]}
          idOf={({ virtualAccountId }) => virtualAccountId}
          empty={
            <Empty title="No virtual accounts">
              <p>This customer pays into the collection accounts of the house, with a reference.</p>
            </Empty>
          }
        />
      </section>
      <Remitters customerId={customerId} mayChange={mayChange} />
    </div>
  );
}

const VIRTUAL: readonly Column<VirtualAccount>[] = [
  { name: 'Currency', cell: ({ currency }) => currency },
  { name: 'Number', cell: ({ number }) => <span className="mono">{number}</span> },
  {
    name: 'Status',
    cell: (account) => <AccountStatus of={account} />,
  },
  { name: 'Added', cell: ({ createdAt }) => <At at={createdAt} /> },
];

function virtualWork(customerId: string): Column<VirtualAccount> {
  return {
    name: 'Actions',
    cell: ({ virtualAccountId: id, number, status, usableFrom }) => (
      <span className="actions">
        <CommandAction
          name={`release-${id}`}
          command={RELEASE_VIRTUAL_ACCOUNT}
          subject={undefined}
          ids={[customerId, id]}
          isPossible={status === 'active' && isAhead(usableFrom)}
          title={`Release ${number} before its wait ends`}
        />
        <CommandAction
          name={`close-${id}`}
          command={CLOSE_VIRTUAL_ACCOUNT}
          subject={undefined}
          ids={[customerId, id]}
          isPossible={status === 'active'}
          title={`Close the virtual account ${number}`}
          typed={{ text: number.slice(-4), label: 'Last four characters of its number' }}
        />
      </span>
    ),
  };
}

function Remitters({ customerId, mayChange }: { readonly customerId: string; readonly mayChange: boolean }) {
  const query = useQuery({
    queryKey: ['remitters', customerId],
    queryFn: async () => (await operator.listRemitters(customerId)).items,
    refetchInterval: 15_000,
  });
  return (
    <section aria-labelledby="remitters">
      <div className="page-head">
        <h2 id="remitters">Accounts that it has paid from</h2>
      </div>
      <View query={query}>
        {(items) =>
          items.length === 0 ? (
            <Empty title="None are known">
              <p>An account is learnt when somebody accepts its payer, or matches its deposit.</p>
            </Empty>
          ) : (
            <Table
              label="List of accounts that it has paid from"
              items={items}
              idOf={({ remitterId }) => remitterId}
              columns={[...REMITTERS, ...(mayChange ? [remitterWork(customerId)] : [])]}
            />
          )
        }
      </View>
    </section>
  );
}

const REMITTERS: readonly Column<Remitter>[] = [
  { name: 'Account', cell: ({ account }) => <span className="mono">{account}</span> },
  {
    name: 'Name',
    isText: true,
    cell: ({ name }) => (name === null ? 'Not named' : <Verbatim text={name} />),
  },
  {
    name: 'Learnt',
    isText: true,
    cell: ({ learntAt, learntBy, depositId }) => (
      <>
        <At at={learntAt} />, <Actor id={learntBy} />, from{' '}
        <Way to="/deposits" search={{ deposit: depositId }}>
          its deposit
        </Way>
      </>
    ),
  },
];

function remitterWork(customerId: string): Column<Remitter> {
  return {
    name: 'Actions',
    cell: ({ remitterId, account }) => (
      <CommandAction
        name={`forget-${remitterId}`}
        command={FORGET_REMITTER}
        subject={undefined}
        ids={[customerId, remitterId]}
        isPossible
        title={`Forget ${account}`}
      />
    ),
  };
}
