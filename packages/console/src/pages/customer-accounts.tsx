import type { SettlementInstruction } from '@firmquote/client/operator';
import { mayRead } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { readCurrency } from '../money/codes.ts';
import { AccountStatus } from '../parts/account-status.tsx';
import { Action } from '../parts/action.tsx';
import { Choice, type Column, Listing } from '../parts/listing.tsx';
import { Empty } from '../parts/states.tsx';
import { At, Verbatim } from '../parts/text.tsx';
import { isAhead } from '../parts/waiting.tsx';
import { check } from '../parts/written-forms.ts';
import { CustomerAddress } from './customer-address.tsx';

/** Where a customer is paid to. Numbers of accounts are shown masked, as the service gives them. */
export function Accounts({ customerId }: { readonly customerId: string }) {
  const session = useSession();
  return (
    <>
      {mayRead(session, 'getPostalAddress') && <CustomerAddress customerId={customerId} />}
      <div className="filters">
        <Choice
          name="status"
          label="Status"
          options={[
            ['active', 'Active'],
            ['retired', 'Retired'],
          ]}
        />
        <AddAccount customerId={customerId} />
      </div>
      <Listing
        name="Accounts"
        about={customerId}
        filters={['status']}
        read={(query, cursor) =>
          operator.listSettlementInstructions(customerId, { ...query, cursor, limit: 50 } as never)
        }
        columns={columns(customerId)}
        idOf={({ settlementInstructionId }) => settlementInstructionId}
        empty={
          <Empty title="No account yet">
            <p>Without one, nothing that the customer buys can be paid out.</p>
          </Empty>
        }
      />
    </>
  );
}

function columns(customerId: string): readonly Column<SettlementInstruction>[] {
  return [
    { name: 'Currency', cell: ({ currency }) => currency },
    { name: 'Holder', isText: true, cell: ({ accountHolder }) => <Verbatim text={accountHolder} /> },
    {
      name: 'Account',
      cell: ({ accountMasked, bic }) => (
        <>
          <span className="mono">{accountMasked}</span> {bic !== null && <span className="dim">{bic}</span>}
        </>
      ),
    },
    {
      name: 'Status',
      cell: (account) => <AccountStatus of={account} />,
    },
    { name: 'Added', cell: ({ createdAt }) => <At at={createdAt} /> },
    {
      name: 'Actions',
      cell: (account) => <AccountWork customerId={customerId} account={account} />,
    },
  ];
}

function AccountWork({
  customerId,
  account: { settlementInstructionId: id, status, usableFrom, currency },
}: {
  readonly customerId: string;
  readonly account: SettlementInstruction;
}) {
  if (status !== 'active') return '';
  return (
    <span className="actions">
      {isAhead(usableFrom) && (
        <Action
          name={`release-${id}`}
          label="Release"
          title={`Release the ${currency} account before its wait ends`}
          scope="operator:settlement-instructions"
          why="account_released"
          send={(_, options) => operator.releaseSettlementInstruction(customerId, id, options)}
          done="Payments can go to the account."
        />
      )}
      <Action
        name={`retire-${id}`}
        label="Retire"
        title={`Retire the ${currency} account`}
        scope="operator:settlement-instructions"
        typed={{ text: currency, label: 'Currency of the account' }}
        send={() => operator.retireSettlementInstruction(customerId, id)}
        done="The account is retired."
      >
        <p>No new trade is paid out to it.</p>
      </Action>
    </span>
  );
}

function AddAccount({ customerId }: { readonly customerId: string }) {
  return (
    <Action
      name="account"
      label="Add account"
      scope="operator:settlement-instructions"
      why="settlement_instruction"
      asks={[
        {
          name: 'currency',
          label: 'Currency',
          read: readCurrency,
          check: check(/^[A-Z]{3}$/, 'Three letters, such as EUR.'),
        },
        { name: 'accountHolder', label: 'Account holder' },
        { name: 'iban', label: 'IBAN', isOptional: true },
        { name: 'accountNumber', label: 'Account number, where there is no IBAN', isOptional: true },
        { name: 'bic', label: 'BIC', isOptional: true },
        { name: 'routingNumber', label: 'Routing number', isOptional: true },
        {
          name: 'bankCountry',
          label: 'Country of the bank',
          isOptional: true,
          check: check(/^[A-Z]{2}$/, 'Two capital letters, such as DE.'),
        },
      ]}
      send={(
        { currency = '', accountHolder = '', iban, accountNumber, bic, routingNumber, bankCountry },
        { idempotencyKey, reason },
      ) =>
        operator.addSettlementInstruction(
          customerId,
          {
            currency: currency.trim(),
            accountHolder: accountHolder.trim(),
            iban: iban?.trim() || null,
            accountNumber: accountNumber?.trim() || null,
            bic: bic?.trim() || null,
            routingNumber: routingNumber?.trim() || null,
            bankCountry: bankCountry?.trim() || null,
          },
          { idempotencyKey, reason },
        )
      }
      done="The account is added."
    >
      <p>It replaces the active account in its currency. It may have to wait before it can be used.</p>
    </Action>
  );
}
