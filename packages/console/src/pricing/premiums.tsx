import type { PricingPolicy, PricingPolicyVersion } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { useEdits, useIsShown } from '../parts/edits.ts';
import { RowsTable } from '../parts/rows-table.tsx';
import { SendChange } from '../parts/send-change.tsx';
import { SettingsTable } from '../parts/settings-table.tsx';
import { View } from '../parts/states.tsx';
import { Versions } from '../parts/versions.tsx';
import {
  changeOf,
  INCREMENTS,
  linesOfVersion,
  NO_EDITS,
  type PremiumEdits,
  STEPS,
  WINDOWS,
} from './premiums.ts';

interface Read {
  readonly policy: PricingPolicy;
  readonly tag: string;
}

/** What is added to spreads, for a long promise and in thin hours, and what amounts are multiples of. */
export function Premiums() {
  const query = useQuery({
    queryKey: ['pricing-policy'],
    queryFn: async (): Promise<Read> => {
      const { data, etag } = await operator.getPricingPolicy().withResponse();
      return { policy: data, tag: etag ?? '' };
    },
    refetchInterval: 15_000,
  });
  return (
    <div className="stack">
      <p className="hint">
        What is added to the spread of a quote, and which amounts are dealt in multiples. Of several hours
        that are open for a pair the widest counts. Quotes that exist keep their price.
      </p>
      <View query={query}>{(read) => <Policy read={read} />}</View>
      <Versions<PricingPolicyVersion>
        name="premiums"
        label="Premiums"
        list={(query) => operator.listPricingPolicyVersions(query)}
        linesOf={linesOfVersion}
      />
    </div>
  );
}

function Policy({ read: { policy, tag } }: { readonly read: Read }) {
  const mayChange = may(useSession(), 'operator:spreads');
  const [edits, set] = useEdits<PremiumEdits>('pricing-policy', NO_EDITS);
  const change = changeOf(policy, edits);
  const isShown = useIsShown(change.lines.length + change.wrong.length > 0, 'premiums');
  const edit = <Part extends keyof PremiumEdits>(part: Part) =>
    mayChange ? (next: PremiumEdits[Part]) => set({ ...edits, [part]: next }) : undefined;
  return (
    <>
      <SettingsTable
        label="Premium for the length of a promise"
        rows={change.rows}
        edits={edits.settings}
        edit={edit('settings')}
      />
      <RowsTable form={STEPS} rows={change.steps} edits={edits.steps} edit={edit('steps')} />
      <RowsTable form={WINDOWS} rows={change.windows} edits={edits.windows} edit={edit('windows')} />
      <RowsTable
        form={INCREMENTS}
        rows={change.increments}
        edits={edits.increments}
        edit={edit('increments')}
      />
      {isShown && (
        <SendChange
          name="premiums"
          scope="operator:spreads"
          why="pricing"
          change={change}
          version={tag}
          send={(document, options) => operator.setPricingPolicy(document, options)}
          done="The new premiums are in force."
          onDrop={() => set(NO_EDITS)}
        />
      )}
    </>
  );
}
