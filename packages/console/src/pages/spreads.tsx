import type { SpreadPreview, SpreadRule, SpreadRuleDraft } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { may, operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { parseAmount } from '../money/amount.ts';
import { Action, check } from '../parts/action.tsx';
import { type Column, Entry, Table, useFilters } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, Told } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import {
  type ChangeLine,
  changedRules,
  conditionsOf,
  type Edits,
  linesOf,
  NO_EDITS,
  originOf,
  warningsOf,
  wrongBps,
} from '../spreads/rules.ts';
import { Fact } from './overview.tsx';

const PLACE = 'firmquote.spreads';

interface Read {
  readonly version: number;
  readonly rules: readonly SpreadRule[];
  readonly draft: SpreadRuleDraft;
  readonly draftTag: string;
}

/** Rules of spreads. Edits are collected here, shown with their effect on a live price, and sent as one change. */
export function Spreads() {
  useTitle('Spreads');
  const query = useQuery({
    queryKey: ['spreads'],
    queryFn: async (): Promise<Read> => {
      const [{ version, rules }, draft] = await Promise.all([
        operator.getSpreadRules(),
        operator.getSpreadRuleDraft().withResponse(),
      ]);
      return { version, rules, draft: draft.data, draftTag: draft.etag ?? '*' };
    },
    refetchInterval: 15_000,
  });
  return (
    <>
      <div className="page-head">
        <h1>Spreads</h1>
        {query.data !== undefined && <span className="dim">Version {query.data.version}</span>}
        <Link to="/audit" search={{ operation: 'activateSpreadRuleDraft' } as never}>
          Earlier changes
        </Link>
      </div>
      <View query={query}>{(read) => <Rules read={read} />}</View>
    </>
  );
}

function Rules({ read }: { readonly read: Read }) {
  const session = useSession();
  const { search } = useFilters();
  const { edits, edit } = useEdits();
  const mayChange = may(session, 'operator:spreads');
  const lines = linesOf(read.rules, edits);
  const isWrong = Object.values(edits.spreads).some((text) => wrongBps(text) !== undefined);
  const hadLines = useRef(false);
  hadLines.current ||= lines.length > 0;
  const about = search.about?.toLowerCase();
  const shown = read.rules.filter(
    (rule) =>
      about === undefined ||
      [rule.customerId, rule.groupName, rule.pair].some((text) => text?.toLowerCase().includes(about)),
  );
  return (
    <div className="stack">
      <div className="filters">
        <Entry name="about" label="Customer id, group or pair" />
        {mayChange && <AddRule onAdd={(rule) => edit({ ...edits, added: [...edits.added, rule] })} />}
      </div>
      {read.rules.length === 0 ? (
        <Empty title="No rules yet">
          <p>Without a rule nothing is priced.</p>
        </Empty>
      ) : shown.length === 0 ? (
        <Empty title="Nothing fits these filters">
          <p>No rule names {search.about}.</p>
        </Empty>
      ) : (
        <Table
          label="Rules"
          items={shown}
          idOf={({ ruleId }) => ruleId}
          columns={columns(edits, mayChange ? edit : undefined)}
        />
      )}
      {read.draft.rules !== null && <Stored read={read} />}
      {/* What was sent stays in sight until it is closed. */}
      {(lines.length > 0 || (hadLines.current && search.do === 'send')) && (
        <Change read={read} edits={edits} lines={lines} isWrong={isWrong} onDrop={() => edit(NO_EDITS)} />
      )}
    </div>
  );
}

/** Edits outlive a sign-in; they end with the tab. */
function useEdits() {
  const [edits, set] = useState<Edits>(() => JSON.parse(sessionStorage.getItem(PLACE) ?? 'null') ?? NO_EDITS);
  const edit = (next: Edits) => {
    sessionStorage.setItem(PLACE, JSON.stringify(next));
    set(next);
  };
  return { edits, edit };
}

function columns(edits: Edits, edit: ((edits: Edits) => void) | undefined): readonly Column<SpreadRule>[] {
  const shown: readonly Column<SpreadRule>[] = [
    {
      name: 'For',
      isText: true,
      cell: ({ customerId, groupName }) =>
        customerId !== null ? (
          <Link to="/customers/$customerId" params={{ customerId }} className="mono">
            {customerId}
          </Link>
        ) : groupName !== null ? (
          <Told text={groupName} />
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
  return edit === undefined ? shown : [...shown, editing(edits, edit)];
}

function editing(edits: Edits, edit: (edits: Edits) => void): Column<SpreadRule> {
  return {
    name: 'New',
    cell: ({ ruleId, spreadBps, pair, ...rule }) => {
      const isRemoved = edits.removed.includes(ruleId);
      const text = edits.spreads[ruleId];
      const of = `${originOf({ pair, ...rule })} ${pair ?? ''}`;
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
    },
  };
}

function AddRule({ onAdd }: { readonly onAdd: (rule: Edits['added'][number]) => void }) {
  return (
    <Action
      name="rule"
      label="Add rule"
      action="Add to the change"
      scope="operator:spreads"
      asks={[
        {
          name: 'customerId',
          label: 'Customer id',
          isOptional: true,
          check: check(/^cus_[0-9a-z]{20,40}$/, 'It begins with cus_.'),
        },
        { name: 'groupName', label: 'Or group', isOptional: true },
        {
          name: 'pair',
          label: 'Pair',
          isOptional: true,
          check: check(/^[A-Z]{6}$/, 'Six capital letters, such as EURUSD.'),
        },
        {
          name: 'amountFrom',
          label: 'From amount, USD',
          isOptional: true,
          check: (text) => (parseAmount(text, 2).ok ? undefined : 'Write an amount, such as 1m.'),
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
    />
  );
}

/** What would be sent, and what it does to a price that is there now. */
function Change({
  read,
  edits,
  lines,
  isWrong,
  onDrop,
}: {
  readonly read: Read;
  readonly edits: Edits;
  readonly lines: readonly ChangeLine[];
  readonly isWrong: boolean;
  readonly onDrop: () => void;
}) {
  const warnings = warningsOf(lines);
  return (
    <section className="card stack" aria-label="Your change">
      <h2>Your change, not sent yet</h2>
      <Lines lines={lines} />
      {warnings.map((warning) => (
        <p key={warning} className="wrong">
          {warning}
        </p>
      ))}
      {isWrong ? (
        <p className="wrong">A spread is not understood: write basis points, such as 12 or 7.50.</p>
      ) : (
        <Example rules={changedRules(read.rules, edits)} />
      )}
      <div className="actions">
        {!isWrong && (
          <Action
            name="send"
            label="Send change"
            isFirst
            scope="operator:spreads"
            why="optional"
            asks={
              warnings.length === 0
                ? []
                : [
                    {
                      name: 'acknowledged',
                      label: `${warnings.length} warnings`,
                      options: [
                        ['', 'Not looked at yet'],
                        ['yes', 'I have looked at them'],
                      ],
                    },
                  ]
            }
            version={`${read.version}`}
            send={async (_, { reason }) => {
              const stored = await operator
                .setSpreadRuleDraft({ rules: changedRules(read.rules, edits) }, { ifMatch: read.draftTag })
                .withResponse();
              return operator.activateSpreadRuleDraft({}, { ifMatch: stored.etag ?? '', reason });
            }}
            onDone={onDrop}
            done="The new spreads hold for quotes from now on."
          >
            <Lines lines={lines} />
          </Action>
        )}
        <button type="button" className="button" onClick={onDrop}>
          Drop edits
        </button>
      </div>
    </section>
  );
}

function Lines({ lines }: { readonly lines: readonly ChangeLine[] }) {
  return (
    <ul className="diff">
      {lines.map(({ what, before, after }) => (
        <li key={`${what} ${before} ${after}`}>
          <Told text={what} />: <del>{before ?? 'no rule'}</del> → <ins>{after ?? 'no rule'}</ins>
          {after === undefined ? '' : ' bps'}
        </li>
      ))}
    </ul>
  );
}

/** A set that the service keeps: somebody has sent it, and it waits to take effect. */
function Stored({ read }: { readonly read: Read }) {
  const { draft } = read;
  return (
    <section className="callout warn">
      <h2>A change is stored and has not taken effect</h2>
      <p>
        {draft.rules?.length ?? 0} rules, based on version {draft.basedOn}
        {draft.basedOn === read.version ? '' : `; by now there is version ${read.version}`}
        {draft.changedAt !== null && (
          <>
            , stored <At at={draft.changedAt} />
          </>
        )}
        .
      </p>
      <div className="actions">
        <Link className="button" to="/approvals" search={{ status: 'pending' } as never}>
          Look for its approval
        </Link>
        <Action
          name="activate"
          label="Let it take effect"
          scope="operator:spreads"
          why="optional"
          version={read.draftTag}
          send={(_, { reason, ifMatch }) =>
            operator.activateSpreadRuleDraft({}, { ifMatch: ifMatch ?? '', reason })
          }
          done="The new spreads hold for quotes from now on."
        />
        <Action
          name="discard"
          label="Discard"
          title="Discard the stored change"
          scope="operator:spreads"
          version={read.draftTag}
          send={(_, { ifMatch }) => operator.discardSpreadRuleDraft({ ifMatch: ifMatch ?? '' })}
          done="It is discarded."
        />
      </div>
    </section>
  );
}

/** A customer's price by the rules of now and by those of the change, on the market as it is. */
function Example({ rules }: { readonly rules: ReturnType<typeof changedRules> }) {
  const { search } = useFilters();
  const pair = search.pair ?? 'EURUSD';
  const customer = search.customer ?? '';
  const body = {
    sellCurrency: pair.slice(0, 3),
    buyCurrency: pair.slice(3),
    fixedSide: 'sell' as const,
    amount: '100000.00',
    ...(customer === '' ? {} : { customerId: customer }),
    rules,
  };
  const query = useQuery({
    queryKey: ['spread-example', body],
    queryFn: () => operator.previewSpreadRules(body),
    refetchInterval: 5_000,
  });
  return (
    <div className="stack">
      <div className="filters">
        <Entry name="pair" label="Example: pair" form={/^[A-Z]{6}$/} />
        <Entry name="customer" label="Customer id" form={/^cus_[0-9a-z]{20,40}$/} />
      </div>
      <View query={query}>{(preview) => <Prices of={preview} sold={body.sellCurrency} />}</View>
    </div>
  );
}

function Prices({
  of: { market, live, draft },
  sold,
}: {
  readonly of: SpreadPreview;
  readonly sold: string;
}) {
  const side = (of: typeof draft) =>
    of === null
      ? '–'
      : of.rate === null
        ? (of.detail ?? of.outcome)
        : `${of.rate.value} (${of.pricing?.spreadBps ?? '–'} bps)`;
  return (
    <dl className="facts">
      <Fact name="Market">
        {market.bid} / {market.ask}
      </Fact>
      <Fact name={`Sells 100,000 ${sold}, now`}>{side(live)}</Fact>
      <Fact name="With the change">
        <b>{side(draft)}</b>
      </Fact>
    </dl>
  );
}
