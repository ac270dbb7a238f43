import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { useEdits, useIsShown } from '../parts/edits.ts';
import { Entry, useFilters } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useTitle } from '../parts/title.ts';
import { Premiums } from '../pricing/premiums.tsx';
import { SwapPolicy } from '../pricing/swap-policy.tsx';
import { Change, type SpreadsRead, Stored } from '../spreads/change.tsx';
import { SpreadsOfCustomer } from '../spreads/effective.tsx';
import { SpreadHistory } from '../spreads/history.tsx';
import { AddRule, RuleTable } from '../spreads/rule-table.tsx';
import { type Edits, linesOf, NO_EDITS, wrongBps } from '../spreads/rules.ts';

/** Tabs that show something else than the rules. */
const WITHOUT_RULES: ReadonlySet<string> = new Set(['premiums', 'swap-points']);

/** Rules of spreads: those in force, what they were, and what a customer gets. Edits are collected and sent as one change. */
export function Spreads() {
  useTitle('Spreads');
  const query = useQuery({
    queryKey: ['spreads'],
    queryFn: async (): Promise<SpreadsRead> => {
      const [{ version, rules }, draft] = await Promise.all([
        operator.getSpreadRules(),
        operator.getSpreadRuleDraft().withResponse(),
      ]);
      return { version, rules, draft: draft.data, draftTag: draft.etag ?? '*' };
    },
    refetchInterval: 15_000,
  });
  const { search } = useFilters();
  const of = (show: (read: SpreadsRead) => ReactNode) => () => <View query={query}>{show}</View>;
  return (
    <>
      <div className="page-head">
        <h1>Spreads</h1>
        {!WITHOUT_RULES.has(search.tab ?? '') && query.data !== undefined && (
          <span className="dim">Version {query.data.version}</span>
        )}
      </div>
      <Tabs
        tabs={[
          { name: 'rules', text: 'Rules', show: of((read) => <Rules read={read} />) },
          {
            name: 'effective',
            text: 'Effective',
            reads: ['listPrices'],
            show: of(() => <SpreadsOfCustomer />),
          },
          { name: 'history', text: 'History', show: of((read) => <SpreadHistory now={read} />) },
          { name: 'premiums', text: 'Premiums', reads: ['getPricingPolicy'], show: () => <Premiums /> },
          {
            name: 'swap-points',
            text: 'Swap points',
            reads: ['getSwapPointPolicy'],
            show: () => <SwapPolicy />,
          },
        ]}
      />
    </>
  );
}

function Rules({ read }: { readonly read: SpreadsRead }) {
  const session = useSession();
  const { search } = useFilters();
  const [edits, edit] = useEdits<Edits>('spreads', NO_EDITS);
  const mayChange = may(session, 'operator:spreads');
  const lines = linesOf(read.rules, edits);
  const isWrong = Object.values(edits.spreads).some((text) => wrongBps(text) !== undefined);
  const isShown = useIsShown(lines.length > 0, 'send');
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
        <RuleTable rules={shown} edits={edits} edit={mayChange ? edit : undefined} />
      )}
      {read.draft.rules !== null && <Stored read={read} />}
      {isShown && (
        <Change read={read} edits={edits} lines={lines} isWrong={isWrong} onDrop={() => edit(NO_EDITS)} />
      )}
    </div>
  );
}
