import type { SwapPointPolicy, SwapPointPolicyVersion } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { useEdits, useIsShown } from '../parts/edits.ts';
import { Table } from '../parts/listing.tsx';
import { RowsTable } from '../parts/rows-table.tsx';
import { SendChange } from '../parts/send-change.tsx';
import { SettingsTable } from '../parts/settings-table.tsx';
import { View } from '../parts/states.tsx';
import { Versions } from '../parts/versions.tsx';
import { changeOf, linesOfVersion, NO_EDITS, RATES, type SwapEdits } from './swap-policy.ts';

interface Read {
  readonly policy: SwapPointPolicy;
  readonly tag: string;
}

/** How dates before spot are priced where nobody gives points. */
export function SwapPolicy() {
  const query = useQuery({
    queryKey: ['swap-point-policy'],
    queryFn: async (): Promise<Read> => {
      const { data, etag } = await operator.getSwapPointPolicy().withResponse();
      return { policy: data, tag: etag ?? '' };
    },
    refetchInterval: 15_000,
  });
  return (
    <div className="stack">
      <p className="hint">
        The points of a pair, which people and sources give, stand on its page under Price health. Without
        them, points follow from the interest rates of both currencies.
      </p>
      <View query={query}>{(read) => <Policy read={read} />}</View>
      <Versions<SwapPointPolicyVersion>
        name="swap-point-policy"
        label="Swap point policy"
        list={(query) => operator.listSwapPointPolicyVersions(query)}
        linesOf={linesOfVersion}
      />
    </div>
  );
}

function Policy({ read: { policy, tag } }: { readonly read: Read }) {
  const mayChange = may(useSession(), 'operator:spreads');
  const [edits, set] = useEdits<SwapEdits>('swap-point-policy', NO_EDITS);
  const change = changeOf(policy, edits);
  const isShown = useIsShown(change.lines.length + change.wrong.length > 0, 'swap-policy');
  const edit = <Part extends keyof SwapEdits>(part: Part) =>
    mayChange ? (next: SwapEdits[Part]) => set({ ...edits, [part]: next }) : undefined;
  return (
    <>
      <SettingsTable
        label="Dates before spot"
        rows={change.rows}
        edits={edits.settings}
        edit={edit('settings')}
      />
      <RowsTable form={RATES} rows={change.rates} edits={edits.rates} edit={edit('rates')} />
      {isShown && (
        <SendChange
          name="swap-policy"
          scope="operator:spreads"
          why="pricing"
          change={change}
          version={tag}
          send={(document, options) => operator.setSwapPointPolicy(document, options)}
          done="The new policy is in force."
          onDrop={() => set(NO_EDITS)}
        />
      )}
      {policy.builtInRates.length > 0 && (
        <div className="stack">
          <h2 className="apart">Rates of the sandbox</h2>
          <p className="hint">For currencies without a rate above. Nobody maintains them.</p>
          <Table
            label="Rates of the sandbox"
            items={policy.builtInRates}
            idOf={RATES.keyOf}
            columns={RATES.columns}
          />
        </div>
      )}
    </>
  );
}
