import type { SpreadRule } from '@firmquote/client/operator';
import { mayRead } from '../api/rights.ts';
import { useSession } from '../frame/session-context.ts';
import { parseAmount } from '../money/amount.ts';
import { Action } from '../parts/action.tsx';
import { CellField } from '../parts/cell-field.tsx';
import { CustomerFinder } from '../parts/customer-finder.tsx';
import { CustomerName } from '../parts/customer-name.tsx';
import { useCustomers } from '../parts/customers.ts';
import { type Column, Table } from '../parts/listing.tsx';
import { At, Verbatim } from '../parts/text.tsx';
import { reachOf, useReachAsked } from './reach-asked.ts';
import { conditionsOf, type Edits, nameOfRule, type Target, wrongBps } from './rules.ts';

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

/** Whom a rule or a limit is for, and which pair. */
export const REACH: readonly Column<Target>[] = [
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
];

const COLUMNS: readonly Column<SpreadRule>[] = [
  ...REACH,
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
        <CellField
          label={`New spread, ${of}`}
          className="bps"
          isWrong={text !== undefined && wrongBps(text) !== undefined}
          placeholder={spreadBps}
          value={text ?? ''}
          onChange={(written) => {
            const { [ruleId]: _before, ...others } = edits.spreads;
            edit({ ...edits, spreads: written === '' ? others : { ...others, [ruleId]: written } });
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
  const { asks, search } = useReachAsked();
  return (
    <Action
      name="rule"
      label="Add rule"
      action="Add to the change"
      scope="operator:spreads"
      asks={[
        ...asks,
        {
          name: 'amountFrom',
          label: 'From amount, USD',
          isOptional: true,
          check: (text) => (parseAmount(text, 2).ok ? undefined : 'Enter an amount, such as 1m.'),
        },
        { name: 'spreadBps', label: 'Spread, bps', check: wrongBps },
      ]}
      send={async ({ amountFrom, spreadBps = '', ...given }) => {
        const amount = parseAmount(amountFrom ?? '', 2);
        onAdd({
          ...reachOf(given),
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
