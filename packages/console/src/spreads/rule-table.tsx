import type { SpreadRule } from '@firmquote/client/operator';
import { mayRead } from '../api/rights.ts';
import { useSession } from '../frame/session-context.ts';
import { parseAmount } from '../money/amount.ts';
import { readPair } from '../money/codes.ts';
import { Action } from '../parts/action.tsx';
import { CustomerFinder } from '../parts/customer-finder.tsx';
import { CustomerName } from '../parts/customer-name.tsx';
import { useCustomerChoice, useCustomers } from '../parts/customers.ts';
import { type Column, Table } from '../parts/listing.tsx';
import { At, Verbatim } from '../parts/text.tsx';
import { check } from '../parts/written-forms.ts';
import { conditionsOf, type Edits, nameOfRule, wrongBps } from './rules.ts';

/** Rules as a table; where they may be edited, with a place for the new spread of each. */
export function RuleTable({
  rules,
  edits,
  edit,
}: {
  readonly rules: readonly SpreadRule[];
  readonly edits: Edits;
  readonly edit: ((edits: Edits) => void) | undefined;
}) {
  return (
    <Table
      label="Rules"
      items={rules}
      idOf={({ ruleId }) => ruleId}
      columns={edit === undefined ? COLUMNS : [...COLUMNS, editing(edits, edit)]}
    />
  );
}

const COLUMNS: readonly Column<SpreadRule>[] = [
  {
    name: 'For',
    isText: true,
    cell: ({ customerId, groupName }) =>
      customerId !== null ? (
        <CustomerName id={customerId} />
      ) : groupName !== null ? (
        <Verbatim text={groupName} />
      ) : (
        'Everybody'
      ),
  },
  { name: 'Pair', cell: ({ pair }) => pair ?? 'Any' },
  { name: 'When', isText: true, cell: conditionsOf },
  {
    name: 'Between',
    cell: ({ minSpreadBps: least, maxSpreadBps: most }) =>
      least === null && most === null ? '–' : `${least ?? '0'} and ${most ?? 'any'} bps`,
  },
  {
    name: 'Valid',
    cell: ({ validFrom, validTo }) => (
      <>
        {validFrom === null ? 'always' : <At at={validFrom} />}
        {validTo !== null && (
          <>
            {' '}
            to <At at={validTo} />
          </>
        )}
      </>
    ),
  },
  { name: 'Spread bps', isNumber: true, cell: ({ spreadBps }) => spreadBps },
];

function editing(edits: Edits, edit: (edits: Edits) => void): Column<SpreadRule> {
  return { name: 'New', cell: (rule) => <NewSpread rule={rule} edits={edits} edit={edit} /> };
}

function NewSpread({
  rule,
  edits,
  edit,
}: {
  readonly rule: SpreadRule;
  readonly edits: Edits;
  readonly edit: (edits: Edits) => void;
}) {
  const { ruleId, spreadBps, customerId } = rule;
  const customers = useCustomers(mayRead(useSession(), 'listCustomers')).data;
  const isRemoved = edits.removed.includes(ruleId);
  const text = edits.spreads[ruleId];
  const of = nameOfRule(rule, customers?.find((each) => each.customerId === customerId)?.name);
  return (
    <span className="actions">
      {!isRemoved && (
        <input
          className="bps"
          aria-label={`New spread, ${of}`}
          inputMode="decimal"
          autoComplete="off"
          aria-invalid={text !== undefined && wrongBps(text) !== undefined}
          placeholder={spreadBps}
          value={text ?? ''}
          onChange={({ target }) => {
            const { [ruleId]: _before, ...others } = edits.spreads;
            edit({
              ...edits,
              spreads: target.value === '' ? others : { ...others, [ruleId]: target.value },
            });
          }}
        />
      )}
      <button
        type="button"
        className="button"
        aria-label={`${isRemoved ? 'Keep' : 'Remove'}, ${of}`}
        onClick={() =>
          edit({
            ...edits,
            removed: isRemoved ? edits.removed.filter((id) => id !== ruleId) : [...edits.removed, ruleId],
          })
        }
      >
        {isRemoved ? 'Keep' : 'Remove'}
      </button>
    </span>
  );
}

/** A rule that comes with the change; nothing is sent before that is. */
export function AddRule({ onAdd }: { readonly onAdd: (rule: Edits['added'][number]) => void }) {
  const { customers, search, seen } = useCustomerChoice(undefined, mayRead(useSession(), 'listCustomers'));
  const named = customers.map(({ customerId, name }) => [customerId, name] as const);
  return (
    <Action
      name="rule"
      label="Add rule"
      action="Add to the change"
      scope="operator:spreads"
      asks={[
        {
          name: 'customerId',
          label: 'Customer',
          isOptional: true,
          options: (chosen) => {
            const isListed = chosen === '' || named.some(([id]) => id === chosen);
            const other = [chosen, seen.get(chosen)?.name ?? chosen] as const;
            return [['', 'No single customer'], ...named, ...(isListed ? [] : [other])];
          },
        },
        { name: 'groupName', label: 'Or group', isOptional: true },
        {
          name: 'pair',
          label: 'Pair',
          isOptional: true,
          read: readPair,
          check: check(/^[A-Z]{6}$/, 'Two currencies, such as EUR/USD.'),
        },
        {
          name: 'amountFrom',
          label: 'From amount, USD',
          isOptional: true,
          check: (text) => (parseAmount(text, 2).ok ? undefined : 'Enter an amount, such as 1m.'),
        },
        { name: 'spreadBps', label: 'Spread, bps', check: wrongBps },
      ]}
      send={async ({ customerId, groupName, pair, amountFrom, spreadBps = '' }) => {
        const amount = parseAmount(amountFrom ?? '', 2);
        onAdd({
          customerId: customerId?.trim() || null,
          groupName: groupName?.trim() || null,
          pair: pair?.trim() || null,
          amountFrom: amount.ok ? amount.amount : null,
          spreadBps: spreadBps.trim(),
        });
      }}
      done="It is in the change below. Nothing is sent yet."
    >
      <CustomerFinder search={search} />
    </Action>
  );
}
