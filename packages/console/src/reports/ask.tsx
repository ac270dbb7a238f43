import type { Report, RequestReportBody } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import { useCommand } from '../parts/command.tsx';
import { useDrafts } from '../parts/draft.ts';
import { CommandDialog, SelectField, TextField } from '../parts/form.tsx';
import { REPORT_NAMES, type ReportName, TAKES } from './kinds.ts';

const NOTHING_ASKED = { report: 'blotter', format: 'csv', from: '', to: '', currency: '', customerId: '' };

type ReportAsked = typeof NOTHING_ASKED;

/** Asks for a report that is made once. */
export function AskForReport({ onClose }: { readonly onClose: () => void }) {
  const { given, change, forget } = useDrafts('report', NOTHING_ASKED);
  const { report, format, from } = given;
  const command = useCommand<RequestReportBody, Report>(
    'report',
    (body, options) => operator.requestReport(body, options),
    forget,
  );
  const isReady = !hasPeriod(given) || from !== '' || report === 'settlement-ladder';
  return (
    <CommandDialog
      label="Request a report"
      action="Request it"
      scope="operator:reports"
      command={command}
      isReady={isReady}
      done="It is being made. The list shows its state."
      onSubmit={() => command.send(bodyOf(given))}
      onClose={onClose}
    >
      <SelectField
        label="Report"
        value={report}
        onChange={(value) => change('report', value)}
        options={REPORT_NAMES}
      />
      <SelectField
        label="Format"
        value={format}
        onChange={(value) => change('format', value)}
        options={[
          ['csv', 'CSV'],
          ['json', 'JSON'],
        ]}
      />
      <WhatItTakes given={given} change={change} />
    </CommandDialog>
  );
}

/** What the chosen report can be narrowed by. */
function WhatItTakes({
  given,
  change,
}: {
  readonly given: ReportAsked;
  readonly change: (field: keyof ReportAsked, text: string) => void;
}) {
  const takes = takenBy(given);
  const areDays = takes.includes('days');
  return (
    <>
      {hasPeriod(given) && (
        <>
          <TextField
            label={areDays ? 'First value date' : 'From, UTC'}
            type="date"
            value={given.from}
            onChange={(value) => change('from', value)}
          />
          <TextField
            label={areDays ? 'Last value date' : 'To, exclusive'}
            type="date"
            value={given.to}
            onChange={(value) => change('to', value)}
            hint={areDays ? 'Leave empty for all.' : 'Leave empty for the current time.'}
          />
        </>
      )}
      {takes.includes('instant') && (
        <TextField
          label="Booked before, UTC"
          type="date"
          value={given.to}
          onChange={(value) => change('to', value)}
          hint="Leave empty for the current time."
        />
      )}
      {takes.includes('currency') && (
        <TextField
          label="Currency"
          value={given.currency}
          onChange={(value) => change('currency', value)}
          hint="Leave empty for all."
        />
      )}
      {takes.includes('customerId') && (
        <TextField
          label="Customer"
          value={given.customerId}
          onChange={(value) => change('customerId', value)}
          hint="Leave empty for all."
        />
      )}
    </>
  );
}

function takenBy({ report }: ReportAsked) {
  return TAKES[report as ReportName];
}

function hasPeriod(asked: ReportAsked): boolean {
  const takes = takenBy(asked);
  return takes.includes('period') || takes.includes('days');
}

function bodyOf(asked: ReportAsked): RequestReportBody {
  const { format, from, to, currency, customerId } = asked;
  const takes = takenBy(asked);
  const day = (text: string) =>
    text === '' ? undefined : takes.includes('days') ? text : `${text}T00:00:00Z`;
  return {
    report: asked.report as ReportName,
    format: format === 'json' ? 'json' : 'csv',
    ...(hasPeriod(asked) ? { from: day(from), to: day(to) } : {}),
    ...(takes.includes('instant') ? { to: day(to) } : {}),
    ...(takes.includes('currency') && currency !== '' ? { currency: currency.trim().toUpperCase() } : {}),
    ...(takes.includes('customerId') && customerId !== '' ? { customerId: customerId.trim() } : {}),
  };
}
