import type { AuditEntry, LogHead } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import { operationInWords, operationOf } from '../audit/columns.ts';
import { Keys } from '../audit/keys.tsx';
import { isProposal, RowsChanged } from '../audit/rows.tsx';
import { Action } from '../parts/action.tsx';
import { Actor } from '../parts/actor.tsx';
import { DownloadLink } from '../parts/download-link.tsx';
import { Choice, type Column, Entry, Listing } from '../parts/listing.tsx';
import { Empty } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { At, Status, Verbatim, words } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { Way } from '../parts/way.tsx';
import { INSTANT, rangeOf, readInstant } from '../parts/written-forms.ts';

/** Who did what, with before and after, and what proves it. */
export function Audit() {
  useTitle('Audit');
  return (
    <>
      <div className="page-head">
        <h1>Audit</h1>
      </div>
      <Tabs
        tabs={[
          { name: 'trail', text: 'Trail', reads: ['listAudit'], show: () => <Trail /> },
          { name: 'proof', text: 'Proof', reads: ['listLogHeads'], show: () => <Heads /> },
          { name: 'keys', text: 'Keys', reads: ['listKeys'], show: () => <Keys /> },
        ]}
      />
    </>
  );
}

function Trail() {
  return (
    <>
      <div className="filters">
        <Choice
          name="kind"
          label="Kind"
          options={['change', 'read', 'sign_in', 'refusal'].map((kind) => [kind, words(kind)] as const)}
        />
        <Entry name="operation" label="What, such as set customer limits" />
        <Entry name="actor" label="Person or client id" />
        <Entry name="subject" label="Subject id" />
        <Entry name="requestId" label="Request id" />
        <Entry name="from" label="From" form={INSTANT} read={readInstant} />
        <Entry name="to" label="To, exclusive" form={INSTANT} read={readInstant} />
      </div>
      <p className="hint">Enter times in UTC, like 2026-11-23T12:00Z, or dates.</p>
      <Listing
        name="Audit"
        filters={['kind', 'operation', 'actor', 'subject', 'requestId', 'from', 'to']}
        read={(query, cursor) =>
          operator.listAudit({
            ...query,
            operation: operationOf(query.operation),
            ...rangeOf(query),
            cursor,
            limit: 50,
          } as never)
        }
        columns={COLUMNS}
        idOf={({ number }) => number}
        empty={<Empty title="No entries yet" />}
      />
    </>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { name: 'At', cell: ({ at }) => <At at={at} /> },
  {
    name: 'What',
    isText: true,
    cell: ({ operation, kind, count }) => (
      <>
        <span title={operation}>{operationInWords(operation)}</span>{' '}
        <span className="dim">
          {words(kind).toLowerCase()}
          {count > 1 ? `, ${count} times` : ''}
        </span>
      </>
    ),
  },
  {
    name: 'Who',
    isText: true,
    cell: ({ actor }) => (
      <>
        <Actor id={actor.personId ?? actor.id ?? actor.type} withId />
        {actor.address !== null && <div className="dim">{actor.address}</div>}
      </>
    ),
  },
  { name: 'Resource', isText: true, cell: ({ resource }) => <Verbatim text={resource} /> },
  {
    name: 'Outcome',
    cell: ({ outcome, approvalId, changes }) => (
      <>
        {isProposal(changes) ? (
          <Status of="proposed" mood="idle" />
        ) : (
          <Status of={outcome} mood={outcome === 'done' ? 'ok' : 'warn'} />
        )}
        {approvalId !== null && (
          <div>
            <Way to="/approvals" search={{ approval: approvalId }}>
              Approval
            </Way>
          </div>
        )}
      </>
    ),
  },
  { name: 'Before and after', isText: true, cell: ({ changes }) => <RowsChanged changes={changes} /> },
];

const EXPORTED = [
  { log: 'audit', text: 'Export the trail' },
  { log: 'journal', text: 'Export the journal' },
] as const;

function Exports() {
  return EXPORTED.map(({ log, text }) => (
    <DownloadLink
      key={log}
      reads="exportLog"
      ask={() => operator.listLogHeads({ log, limit: 1 })}
      className="button"
      href={`/v1/operator/audit/export?log=${log}`}
      saveAs={`${log}.ndjson`}
    >
      {text}
    </DownloadLink>
  ));
}

function Heads() {
  return (
    <>
      <div className="filters">
        <Choice
          name="log"
          label="Log"
          options={[
            ['audit', 'Audit trail'],
            ['journal', 'Journal'],
          ]}
        />
        <Exports />
        <Action
          name="head"
          label="Sign a head now"
          scope="operator:audit"
          asks={[
            {
              name: 'log',
              label: 'Log',
              options: [
                ['audit', 'Audit trail'],
                ['journal', 'Journal'],
              ],
            },
          ]}
          send={({ log }, { idempotencyKey }) =>
            operator.signLogHead({ log: log as 'audit' | 'journal' }, { idempotencyKey })
          }
          done="The head is signed."
        />
      </div>
      <p className="hint">
        An export is proof only if the owner of the database cannot reach it. Verify it with firmquote audit
        verify.
      </p>
      <Listing
        name="Heads"
        filters={['log']}
        read={(query, cursor) => operator.listLogHeads({ ...query, cursor, limit: 50 } as never)}
        columns={HEADS}
        idOf={({ log, size }) => `${log}${size}`}
        empty={
          <Empty title="No head is signed yet">
            <p>One is signed every day and with every export.</p>
          </Empty>
        }
      />
    </>
  );
}

const HEADS: readonly Column<LogHead>[] = [
  { name: 'Signed', cell: ({ signedAt }) => <At at={signedAt} /> },
  { name: 'Log', cell: ({ log }) => words(log) },
  { name: 'Rows', isNumber: true, cell: ({ size }) => size },
  { name: 'Root', isText: true, cell: ({ root }) => <span className="mono">{root}</span> },
];
