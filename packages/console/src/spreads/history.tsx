import type { SpreadRuleVersion, SpreadRuleVersionDetail } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { operator } from '../api/session.ts';
import { Action } from '../parts/action.tsx';
import { Actor } from '../parts/actor.tsx';
import { type ChangeLine, Lines } from '../parts/change.tsx';
import { Fact } from '../parts/facts.tsx';
import { type Column, Entry, Listing, useFilters } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, Status, Verbatim } from '../parts/text.tsx';
import { Way } from '../parts/way.tsx';
import { INSTANT, readInstant, VERSION } from '../parts/written-forms.ts';
import { OF_RULES, type SpreadsRead } from './change.tsx';
import { targetText } from './rules.ts';
import { useTwoSteps } from './two-steps.ts';

/** What was in force when, who changed and who approved it; and the way back. */
export function SpreadHistory({ now }: { readonly now: SpreadsRead }) {
  const { search } = useFilters();
  return (
    <div className="stack">
      <div className="filters">
        <Entry name="at" label="In force at, such as 2026-03-04T14:30Z" form={INSTANT} read={readInstant} />
      </div>
      <Listing
        name="Versions"
        filters={['at']}
        read={({ at }, cursor) =>
          operator.listSpreadRuleVersions({
            cursor,
            limit: 20,
            ...(at === undefined ? {} : { at: readInstant(at) }),
          })
        }
        columns={COLUMNS}
        idOf={({ version }) => `${version}`}
        empty={<Empty title="No versions are kept" />}
      />
      {search.version !== undefined && <Version number={search.version} now={now} />}
    </div>
  );
}

const COLUMNS: readonly Column<SpreadRuleVersion>[] = [
  {
    name: 'Version',
    cell: ({ version, inForceUntil }) => (
      <>
        <Link to="." search={((before: object) => ({ ...before, version: `${version}` })) as never}>
          {version}
        </Link>{' '}
        {inForceUntil === null && <Status of="in_force" mood="ok" />}
      </>
    ),
  },
  { name: 'From', cell: ({ inForceFrom }) => <Since at={inForceFrom} /> },
  { name: 'Until', cell: ({ inForceUntil }) => (inForceUntil === null ? '–' : <At at={inForceUntil} />) },
  { name: 'What', isText: true, cell: whatOf },
  { name: 'By', cell: ({ changedBy }) => <Who id={changedBy} /> },
  {
    name: 'Approved by',
    cell: ({ approvedBy, approvalId }) =>
      approvalId === null ? (
        'One person was enough'
      ) : (
        <Way to="/approvals" search={{ approval: approvalId }}>
          <Who id={approvedBy} />
        </Way>
      ),
  },
  { name: 'Why', isText: true, cell: ({ reason }) => (reason === null ? '–' : <Verbatim text={reason} />) },
];

function Since({ at }: { readonly at: string }) {
  return at.startsWith('1970') ? 'The beginning' : <At at={at} />;
}

function Who({ id }: { readonly id: string | null }) {
  return id === null ? 'The service' : <Actor id={id} />;
}

function whatOf({ added, changed, removed, restores, ruleCount }: SpreadRuleVersion): string {
  const parts = [
    restores === null ? '' : `back to version ${restores}`,
    changed === 0 ? '' : `${changed} changed`,
    added === 0 ? '' : `${added} new`,
    removed === 0 ? '' : `${removed} removed`,
  ].filter((part) => part !== '');
  return `${parts.join(', ') || 'First kept'}; ${ruleCount} in all`;
}

/** One version beside another one, and the way back to it. */
function Version({ number, now }: { readonly number: string; readonly now: SpreadsRead }) {
  const { search } = useFilters();
  const against = search.against ?? '';
  const query = useQuery({
    queryKey: ['spread-version', number, against, now.version],
    queryFn: () =>
      operator.getSpreadRuleVersion(number, against === '' ? {} : { against: Number.parseInt(against, 10) }),
  });
  return (
    <section className="card stack" aria-label={`Version ${number}`}>
      <h2>Version {number}</h2>
      <div className="filters">
        <Entry name="against" label="Compare with version" form={VERSION} />
      </div>
      <View query={query}>
        {(version) => (
          <>
            <dl className="facts">
              <Fact name="In force">
                <Since at={version.inForceFrom} /> to{' '}
                {version.inForceUntil === null ? 'now' : <At at={version.inForceUntil} />}
              </Fact>
              <Fact name="Rules">{version.ruleCount}</Fact>
            </dl>
            <Differences of={version} />
            {version.inForceUntil !== null && <RollBack to={version.version} now={now} />}
          </>
        )}
      </View>
    </section>
  );
}

function Differences({ of: { against, differences } }: { readonly of: SpreadRuleVersionDetail }) {
  if (against === null) return <p>No earlier version is kept to compare it with.</p>;
  return (
    <>
      <h3>From version {against} to this one</h3>
      {differences.length === 0 ? (
        <p>No differences.</p>
      ) : (
        <Lines lines={linesOf(differences)} {...OF_RULES} />
      )}
    </>
  );
}

/** Bounds and times are told where they are what differs. */
function linesOf(differences: SpreadRuleVersionDetail['differences']): readonly ChangeLine[] {
  return differences.flatMap(({ before, after }) => {
    const rule = after ?? before;
    return rule === null
      ? []
      : [{ what: targetText(rule), before: spreadOf(before), after: spreadOf(after) }];
  });
}

type Terms = SpreadRuleVersionDetail['differences'][number]['after'];

function spreadOf(terms: Terms): string | undefined {
  if (terms === null) return undefined;
  const { spreadBps, minSpreadBps, maxSpreadBps, validFrom, validTo } = terms;
  const bounds = [
    minSpreadBps === null ? '' : `at least ${minSpreadBps}`,
    maxSpreadBps === null ? '' : `at most ${maxSpreadBps}`,
    validFrom === null ? '' : `from ${validFrom}`,
    validTo === null ? '' : `until ${validTo}`,
  ].filter((part) => part !== '');
  return bounds.length === 0 ? spreadBps : `${spreadBps} (${bounds.join(', ')})`;
}

/** A new change that says what an earlier version said. Nothing of history is written again. */
function RollBack({ to, now }: { readonly to: number; readonly now: SpreadsRead }) {
  const inTwoSteps = useTwoSteps();
  return (
    <Action
      name="rollback"
      label={`Roll back to version ${to}`}
      action="Send as a change"
      scope="operator:spreads"
      why="pricing"
      version={now.draftTag}
      send={(_, { reason, ifMatch = now.draftTag }) =>
        inTwoSteps(`${to}`, ifMatch, reason, (tag) =>
          operator.restoreSpreadRules(`${to}`, {}, { ifMatch: tag }).withResponse(),
        )
      }
      done={`The spreads of version ${to} apply to new quotes.`}
    >
      <WouldChange to={to} now={now} />
    </Action>
  );
}

function WouldChange({ to, now }: { readonly to: number; readonly now: SpreadsRead }) {
  const query = useQuery({
    queryKey: ['spread-version', `${to}`, `${now.version}`, now.version],
    queryFn: () => operator.getSpreadRuleVersion(`${to}`, { against: now.version }),
  });
  return (
    <View query={query}>
      {({ differences }) =>
        differences.length === 0 ? (
          <p>It is the same as the version in force.</p>
        ) : (
          <Lines lines={linesOf(differences)} {...OF_RULES} />
        )
      }
    </View>
  );
}
