import type { Report, RequestReportBody } from '@firmquote/client/operator';
import { useState } from 'react';
import { may, operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { useCommand } from '../parts/command.tsx';
import { CommandDialog, SelectField, TextField } from '../parts/form.tsx';
import { type Column, Listing } from '../parts/listing.tsx';
import { copy, Empty } from '../parts/states.tsx';
import { At, Status, Told, words } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';

type Name = RequestReportBody['report'];
/** Which parameters each takes. */
const TAKES: Readonly<Record<Name, readonly ('period' | 'days' | 'currency' | 'customerId')[]>> = {
  blotter: ['period', 'customerId'],
  'settlement-ladder': ['days', 'currency'],
  exposure: [],
  'spread-revenue': ['period', 'customerId', 'currency'],
  reconciliation: ['period', 'currency'],
  overdue: ['customerId'],
  suspense: ['currency'],
  exceptions: ['customerId'],
  deposits: ['period', 'customerId', 'currency'],
};
const NAMES = (Object.keys(TAKES) as Name[]).map((name) => [name, words(name.replaceAll('-', ' '))] as const);

const COLUMNS: readonly Column<Report>[] = [
  { name: 'Asked for', cell: ({ createdAt }) => <At at={createdAt} /> },
  { name: 'Report', cell: ({ report, format }) => `${words(report.replaceAll('-', ' '))}, ${format}` },
  {
    name: 'Of',
    isText: true,
    cell: ({ parameters: { from, to, currency, customerId } }) =>
      [from?.slice(0, 10), to?.slice(0, 10), currency, customerId].filter(Boolean).join(' · ') || 'Now',
  },
  { name: 'By', cell: ({ requestedBy }) => <span className="mono">{requestedBy}</span> },
  {
    name: 'State',
    cell: ({ status, failure, balanced }) => (
      <>
        <Status of={status} mood={status === 'completed' ? 'ok' : status === 'failed' ? 'bad' : 'idle'} />
        {failure !== null && <Told text={` ${failure}`} />}
        {balanced === false && <Status of="does not add up" mood="bad" />}
      </>
    ),
  },
  { name: 'Rows', isNumber: true, cell: ({ rows }) => rows },
  { name: 'Bytes', isNumber: true, cell: ({ bytes }) => bytes },
  {
    name: 'SHA-256',
    cell: ({ sha256 }) =>
      sha256 === null ? (
        '–'
      ) : (
        <button type="button" className="plain mono" title={sha256} onClick={() => void copy(sha256)}>
          {sha256.slice(0, 12)}… <span className="hidden">copy the checksum</span>
        </button>
      ),
  },
  {
    name: 'File',
    cell: ({ contentUrl, expiresAt }) =>
      contentUrl === null ? (
        '–'
      ) : (
        <a href={contentUrl} download title={`Kept until ${expiresAt}`}>
          Download
        </a>
      ),
  },
];

/** Reports that are made in the background. */
export function Reports() {
  const session = useSession();
  const [isOpen, open] = useState(false);
  useTitle('Reports');
  return (
    <>
      <div className="page-head">
        <h1>Reports</h1>
        {may(session, 'operator:reports') && (
          <button type="button" className="button first" onClick={() => open(true)}>
            Ask for a report
          </button>
        )}
      </div>
      <Listing
        name="Reports"
        filters={[]}
        everyMs={3_000}
        read={(_, cursor) => operator.listReports({ cursor, limit: 50 })}
        columns={COLUMNS}
        idOf={({ reportId }) => reportId}
        empty={
          <Empty title="No report was asked for">
            <p>A report is made in the background and kept for 7 days, with its checksum.</p>
          </Empty>
        }
      />
      {isOpen && <Ask onClose={() => open(false)} />}
    </>
  );
}

function Ask({ onClose }: { readonly onClose: () => void }) {
  const [report, setReport] = useState<Name>('blotter');
  const [format, setFormat] = useState('csv');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [currency, setCurrency] = useState('');
  const [customerId, setCustomer] = useState('');
  const command = useCommand<RequestReportBody, Report>((body, options) =>
    operator.requestReport(body, options),
  );
  const takes = TAKES[report];
  const hasPeriod = takes.includes('period') || takes.includes('days');
  const day = (text: string) =>
    text === '' ? undefined : takes.includes('days') ? text : `${text}T00:00:00Z`;
  const isReady = !hasPeriod || from !== '' || report === 'settlement-ladder';
  const submit = () =>
    command.send({
      report,
      format: format === 'json' ? 'json' : 'csv',
      ...(hasPeriod ? { from: day(from), to: day(to) } : {}),
      ...(takes.includes('currency') && currency !== '' ? { currency: currency.trim().toUpperCase() } : {}),
      ...(takes.includes('customerId') && customerId !== '' ? { customerId: customerId.trim() } : {}),
    });
  return (
    <CommandDialog
      label="Ask for a report"
      action="Ask for it"
      command={command}
      isReady={isReady}
      done="It is being made; the list shows how far it is."
      onSubmit={submit}
      onClose={onClose}
    >
      <SelectField
        label="Report"
        value={report}
        onChange={(value) => setReport(value as Name)}
        options={NAMES}
      />
      <SelectField
        label="Format"
        value={format}
        onChange={setFormat}
        options={[
          ['csv', 'CSV'],
          ['json', 'JSON'],
        ]}
      />
      {hasPeriod && (
        <>
          <TextField label="From, UTC" type="date" value={from} onChange={setFrom} />
          <TextField
            label={takes.includes('days') ? 'To, with that day' : 'To, without that day'}
            type="date"
            value={to}
            onChange={setTo}
            hint="Until now, where it is left out."
          />
        </>
      )}
      {takes.includes('currency') && (
        <TextField
          label="Currency"
          value={currency}
          onChange={setCurrency}
          hint="All, where it is left out."
        />
      )}
      {takes.includes('customerId') && (
        <TextField
          label="Customer"
          value={customerId}
          onChange={setCustomer}
          hint="All, where it is left out."
        />
      )}
    </CommandDialog>
  );
}
