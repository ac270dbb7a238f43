import { operator } from '../api/session.ts';
import { Action } from '../parts/action.tsx';
import { REASON, text } from '../parts/page-command.ts';
import { changedYear, saidOfDay, tagOf, tagsOf, type YearRead } from './days.ts';

/** One day that was announced, or taken back, for a currency: whole years come from a vendor. */
export function ChangeDay({
  currency,
  years,
}: {
  readonly currency: string;
  /** Those that are shown, as they were read. */
  readonly years: readonly YearRead[];
}) {
  const yearOf = (date: string | undefined) =>
    years.find(({ calendar }) => text(date).startsWith(`${calendar.year}-`));
  const covered = years.map(({ calendar }) => calendar.year).join(' or ');
  return (
    <Action
      name={`day-${currency}`}
      label="Close or open a day"
      title={`Close or open a day of ${currency}`}
      action="Change the day"
      scope="operator:calendars"
      version={tagsOf(years)}
      asks={[
        {
          name: 'date',
          label: 'Date',
          type: 'date',
          check: (date) => (yearOf(date) === undefined ? `Enter a date in ${covered}.` : undefined),
        },
        {
          name: 'state',
          label: 'On this day',
          options: [
            ['closed', `${currency} does not settle`],
            ['open', `${currency} settles`],
          ],
        },
        { name: 'name', label: 'Name of the day', hint: 'Customers see it.' },
        {
          name: 'source',
          label: 'Source',
          hint: 'The announcement, or the calendar of the settlement system.',
        },
        REASON,
      ]}
      send={async ({ date, state, name, source, reason }, { ifMatch }) => {
        const year = yearOf(date);
        if (year === undefined) throw new Error(`There is no calendar for ${text(date)}.`);
        const { year: number } = year.calendar;
        const day = {
          ...{ date: text(date), state: state === 'open' ? ('open' as const) : ('closed' as const) },
          ...{ reason: text(name), source: text(source) },
        };
        return operator.setCalendarYear(currency, `${number}`, changedYear(year, day, text(reason)), {
          ifMatch: tagOf(ifMatch, number),
        });
      }}
      done={saidOfDay}
    >
      <p>It applies to new quotes at once. Quotes and trades that exist keep their dates.</p>
    </Action>
  );
}
