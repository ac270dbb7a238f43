import type {
  MatchingRules as Document,
  MatchingRulesDocument,
  MatchingRulesVersion,
} from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { useEdits, useIsShown } from '../parts/edits.ts';
import { SendChange } from '../parts/send-change.tsx';
import type { SettingEdits } from '../parts/setting-rows.ts';
import { SettingsTable } from '../parts/settings-table.tsx';
import { View } from '../parts/states.tsx';
import { Versions } from '../parts/versions.tsx';
import { Preview } from './preview.tsx';
import { changeOf, linesOfVersion } from './rules.ts';

interface Read {
  readonly rules: Document;
  readonly tag: string;
}

/** By which rules deposits are matched, and a change of them, tried on the newest deposits. */
export function MatchingRules() {
  const query = useQuery({
    queryKey: ['matching-rules'],
    queryFn: async (): Promise<Read> => {
      const { data, etag } = await operator.getMatchingRules().withResponse();
      return { rules: data, tag: etag ?? '' };
    },
    refetchInterval: 15_000,
  });
  return (
    <div className="stack">
      <p className="hint">
        A payment that names one trade and pays it exactly always matches. Changes apply from then on and undo
        no match. For work by hand, the lower of this amount and the one under Approvals decides.
      </p>
      <View query={query}>{(read) => <Rules read={read} />}</View>
      <Versions<MatchingRulesVersion>
        name="matching-rules"
        label="Matching rules"
        list={(query) => operator.listMatchingRuleVersions(query)}
        linesOf={linesOfVersion}
      />
    </div>
  );
}

function Rules({ read: { rules, tag } }: { readonly read: Read }) {
  const mayChange = may(useSession(), 'operator:deposits');
  const [edits, edit] = useEdits<SettingEdits>('matching-rules', {});
  const change = changeOf(rules, edits);
  const isShown = useIsShown(change.lines.length + change.wrong.length > 0, 'rules');
  return (
    <>
      <SettingsTable
        label="Matching rules"
        rows={change.rows}
        edits={edits}
        edit={mayChange ? edit : undefined}
      />
      {isShown && (
        <SendChange
          name="rules"
          scope="operator:deposits"
          why="thresholds"
          change={change}
          version={tag}
          send={(document, options) => operator.replaceMatchingRules(document, options)}
          done="The new rules are in force."
          onDrop={() => edit({})}
        >
          {change.document !== undefined && <Trial rules={change.document} />}
        </SendChange>
      )}
    </>
  );
}

/** Asked for, since it decides many deposits again: of these rules and no others. */
function Trial({ rules }: { readonly rules: MatchingRulesDocument }) {
  const [tried, tryOut] = useState('');
  const now = JSON.stringify(rules);
  if (tried === now) return <Preview rules={rules} />;
  return (
    <div className="actions">
      <button type="button" className="button" onClick={() => tryOut(now)}>
        Try it on the newest deposits
      </button>
    </div>
  );
}
