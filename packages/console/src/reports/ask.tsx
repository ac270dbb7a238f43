import type { Report, RequestReportBody } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import { useCommand } from '../parts/command.tsx';
import { useDrafts } from '../parts/draft.ts';
import { CommandDialog, SelectField, TextField } from '../parts/form.tsx';
import { REPORT_NAMES, type ReportName, TAKES } from './kinds.ts';

const NOTHING_ASKED = { report: 'blotter', format: 'csv', from: '', to: '', currency: '', customerId: '' };

/** Asks for a report that is made once. */
export function AskForReport({ onClose }: { readonly onClose: () => void }) {
  const { given, change, forget } = useDrafts('report', NOTHING_ASKED);
  const { format, from, to, currency, customerId } = given;
  const report = given.report as ReportName;
  const command = useCommand<RequestReportBody, Report>(
    (body, options) => operator.requestReport(body, options),
    forget,
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
      label="Request a report"
      action="Request it"
      scope="operator:reports"
      command={command}
      isReady={isReady}
      done="It is being made. The list shows its state."
      onSubmit={submit}
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
      {hasPeriod && (
        <>
          <TextField label="From, UTC" type="date" value={from} onChange={(value) => change('from', value)} />
          <TextField
            label={takes.includes('days') ? 'To, inclusive' : 'To, exclusive'}
            type="date"
            value={to}
            onChange={(value) => change('to', value)}
            hint="Leave empty for the current time."
          />
        </>
      )}
      {takes.includes('currency') && (
        <TextField
          label="Currency"
          value={currency}
          onChange={(value) => change('currency', value)}
          hint="Leave empty for all."
        />
      )}
      {takes.includes('customerId') && (
        <TextField
          label="Customer"
          value={customerId}
          onChange={(value) => change('customerId', value)}
          hint="Leave empty for all."
        />
      )}
    </CommandDialog>
  );
}
