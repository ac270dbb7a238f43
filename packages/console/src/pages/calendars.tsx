import type { CalendarDay, CalendarImport } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { may } from '../api/rights.ts';
import { business, operator } from '../api/session.ts';
import { ChangeDay } from '../calendars/change-day.tsx';
import { CutOffs } from '../calendars/cut-offs.tsx';
import type { YearRead } from '../calendars/days.ts';
import { useSession } from '../frame/session-context.ts';
import { readCurrency } from '../money/codes.ts';
import { type ChosenFile, readChosen } from '../parts/chosen-file.ts';
import { Outcome, SendButton, useCommand } from '../parts/command.tsx';
import { useDrafts } from '../parts/draft.ts';
import { TextField } from '../parts/form.tsx';
import { type Column, Entry, Table, useFilters } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { At, Status, Verbatim } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { Way } from '../parts/way.tsx';
import { CURRENCY } from '../parts/written-forms.ts';

const SHOWN_MAX = 12;
const FILE_MAX_BYTES = 2 * 1024 * 1024;

interface Closed extends CalendarDay {
  readonly currency: string;
}

/** When currencies do not settle, and until when they settle on the same day. */
export function Calendars() {
  useTitle('Calendars');
  return (
    <>
      <div className="page-head">
        <h1>Calendars</h1>
      </div>
      <Tabs
        tabs={[
          { name: 'days', text: 'Closed days', show: () => <ClosedDays /> },
          { name: 'cut-offs', text: 'Cut-offs', reads: ['listCutOffs'], show: () => <CutOffs /> },
        ]}
      />
    </>
  );
}

/** Days on which currencies do not settle, next ones first. */
function ClosedDays() {
  const { search } = useFilters();
  const currency = search.currency?.toUpperCase() ?? 'USD';
  const list = useQuery({ queryKey: ['calendars'], queryFn: () => operator.listCalendars() });
  return (
    <>
      <View query={list}>
        {({ items, runningShort }) => (
          <div className="stack">
            {runningShort.length > 0 && (
              <div className="callout warn">
                <h2>Calendars that end soon</h2>
                <p>
                  {runningShort.join(', ')} end less than 13 months from now. Import the days of the years
                  that follow.
                </p>
              </div>
            )}
            <div className="filters">
              <Entry name="currency" label="Currency" form={CURRENCY} read={readCurrency} />
            </div>
            <NextDays currency={currency} isKnown={items.some((each) => each.currency === currency)} />
            <Import />
          </div>
        )}
      </View>
      {search.import !== undefined && <Difference importId={search.import} />}
    </>
  );
}

function NextDays({ currency, isKnown }: { readonly currency: string; readonly isKnown: boolean }) {
  const query = useQuery({
    queryKey: ['closed', currency],
    queryFn: async (): Promise<readonly YearRead[]> => {
      const year = Number.parseInt(business.day().slice(0, 4), 10);
      const answers = await Promise.all([
        operator.getCalendarYear(currency, `${year}`).withResponse(),
        operator.getCalendarYear(currency, `${year + 1}`).withResponse(),
      ]);
      return answers.map(({ data, etag }) => ({ calendar: data, tag: etag ?? '' }));
    },
    enabled: isKnown,
  });
  if (!isKnown)
    return (
      <Empty title={`There is no calendar for ${currency}`}>
        <p>Nothing is offered in it until its days are imported.</p>
      </Empty>
    );
  return (
    <View query={query}>
      {(years) => (
        <>
          <div className="actions">
            <ChangeDay key={currency} currency={currency} years={years} />
          </div>
          <Days currency={currency} days={nextOf(years)} />
        </>
      )}
    </View>
  );
}

function Days({ currency, days }: { readonly currency: string; readonly days: readonly CalendarDay[] }) {
  if (days.length === 0) return <Empty title="No closed days are known" />;
  return (
    <Table
      label={`Closed days of ${currency}`}
      items={days.map((day) => ({ ...day, currency }))}
      idOf={({ date }) => date}
      columns={DAYS}
    />
  );
}

function nextOf(years: readonly YearRead[]): readonly CalendarDay[] {
  const today = business.day();
  return years
    .flatMap(({ calendar }) => calendar.days)
    .filter(({ date, state, inWorkingWeek }) => date >= today && state === 'closed' && inWorkingWeek)
    .slice(0, SHOWN_MAX);
}

const DAYS: readonly Column<Closed>[] = [
  { name: 'Date', cell: ({ date }) => <time dateTime={date}>{date}</time> },
  { name: 'Currency', cell: ({ currency }) => currency },
  { name: 'Closed for', isText: true, cell: ({ name }) => <Verbatim text={name} /> },
  {
    name: 'Certainty',
    cell: ({ estimated }) =>
      estimated ? <Status of="estimated" mood="warn" /> : <Status of="announced" mood="ok" />,
  },
  { name: 'From', cell: ({ origin }) => (origin === 'built_in' ? 'Built in' : 'An operator') },
];

interface Meant {
  readonly file: string;
  readonly source: string;
  readonly reason: string;
  readonly fromYear: number;
  readonly toYear: number;
}

/** What is chosen is read at once: it may be another file by the time that it is sent. */
function useFile() {
  const [file, choose] = useState<ChosenFile>();
  const [wrong, setWrong] = useState<string>();
  const take = async (chosen: File | undefined) => {
    choose(undefined);
    setWrong(undefined);
    if (chosen === undefined) return;
    if (chosen.size > FILE_MAX_BYTES) setWrong('The file is larger than 2 MiB and was not read.');
    else choose(await readChosen(chosen));
  };
  return { file, wrong, take };
}

const NOTHING_WRITTEN = { source: '', reason: '', fromYear: '', toYear: '' };

function Import() {
  const session = useSession();
  const { set } = useFilters();
  const { file, wrong, take } = useFile();
  const { given: form, change, forget } = useDrafts('calendars.import', NOTHING_WRITTEN);
  const command = useCommand<Meant, CalendarImport>(
    'calendars.import',
    ({ file: _, ...query }, options) => operator.proposeCalendarImport(file?.bytes ?? '', query, options),
    ({ importId }) => {
      forget();
      set({ import: importId });
    },
  );
  if (!may(session, 'operator:calendars')) return null;
  const isReady = file !== undefined && Object.values(form).every((text) => text.trim() !== '');
  const field = (name: keyof typeof form, label: string) => (
    <TextField label={label} value={form[name]} onChange={(text) => change(name, text)} />
  );
  return (
    <form
      className="card stack"
      onSubmit={(event) => {
        event.preventDefault();
        const years = { fromYear: Number(form.fromYear), toYear: Number(form.toYear) };
        if (isReady) command.send({ ...form, ...years, file: file.mark });
      }}
    >
      <h2>Import a vendor's days</h2>
      <div className="field">
        <label htmlFor="days">CSV file with all closing days, at most 2 MiB</label>
        <input
          id="days"
          type="file"
          accept=".csv,text/csv"
          onChange={({ target }) => void take(target.files?.[0])}
        />
        {wrong !== undefined && <span className="wrong">{wrong}</span>}
      </div>
      <div className="grid">
        {field('source', 'Source, such as the vendor and its file')}
        {field('reason', 'Reason')}
        {field('fromYear', 'First year')}
        {field('toYear', 'Last year')}
      </div>
      <Outcome state={command.state} done="The difference is below. It waits for a second person." />
      <div className="actions">
        <SendButton isReady={isReady} isBusy={command.isBusy}>
          Show the difference and propose it
        </SendButton>
      </div>
    </form>
  );
}

function Difference({ importId }: { readonly importId: string }) {
  const query = useQuery({
    queryKey: ['calendar-import', importId],
    queryFn: () => operator.getCalendarImport(importId),
    refetchInterval: 10_000,
  });
  return (
    <section className="apart" aria-label="Proposed import">
      <h2>Proposed import</h2>
      <View query={query}>
        {({ calendars, approval, appliedAt, source, lines }) => (
          <div className="card stack">
            <p>
              <Status of={approval.status} /> <Verbatim text={source} />, {lines} days
              {appliedAt !== null && (
                <>
                  , in force since <At at={appliedAt} />
                </>
              )}
            </p>
            {approval.status === 'pending' && (
              <p>
                <Way to="/approvals" search={{ approval: approval.approvalId }}>
                  It waits for a second person
                </Way>
              </p>
            )}
            {calendars.map((each) => (
              <CurrencyDifference key={each.currency} of={each} />
            ))}
          </div>
        )}
      </View>
    </section>
  );
}

function CurrencyDifference({
  of: { currency, added, removed, renamed, openTransactions },
}: {
  readonly of: CalendarImport['calendars'][number];
}) {
  return (
    <div>
      <h3>{currency}</h3>
      <ul className="diff">
        {added.map(({ date, name }) => (
          <li key={date}>
            <ins>closed {date}</ins> <Verbatim text={name} />
          </li>
        ))}
        {removed.map(({ date, name }) => (
          <li key={date}>
            <del>open {date}</del> <Verbatim text={name} />
          </li>
        ))}
        {renamed.map(({ date, name, formerName }) => (
          <li key={date}>
            {date} <Verbatim text={formerName} /> → <Verbatim text={name} />
          </li>
        ))}
        {added.length + removed.length + renamed.length === 0 && <li>No difference</li>}
      </ul>
      {openTransactions > 0 && (
        <p className="wrong">{openTransactions} open trades have an added day as their value date.</p>
      )}
    </div>
  );
}
