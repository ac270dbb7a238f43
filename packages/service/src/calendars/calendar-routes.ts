import type { FastifyInstance } from 'fastify';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { calendarRanges, calendarsRunningShort } from './range.ts';
import { requireCurrency } from './room.ts';
import { access, changeOf, pathYear, sendVersions, tags, withVersion } from './route-helpers.ts';
import type { CalendarsRoutesOptions } from './routes.ts';
import * as schema from './schema.ts';
import { setCalendarYear } from './set-calendar-year.ts';
import { calendarYearVersions } from './store.ts';
import { calendarYearVersionView, calendarYearView, rangeView, turnedView } from './view.ts';

const path = '/v1/operator/calendars';
/** A year with every day in it and the longest texts, also where a letter takes four bytes, is 600 kB. */
const BODY_LIMIT_BYTES = 1024 * 1024; // limit: Body with a calendar year
const yearPath = `${path}/:currency/:year`;

interface YearParams {
  Params: { currency: string; year: string };
}

export function calendarRoutes(app: FastifyInstance, options: CalendarsRoutesOptions): void {
  listRoute(app, options);
  yearRoutes(app, options);
  historyRoute(app, options);
}

function listRoute(app: FastifyInstance, { room }: CalendarsRoutesOptions): void {
  app.get(
    path,
    {
      config: { access },
      schema: {
        tags,
        summary: 'How far the calendar of each currency goes',
        response: { 200: schema.CalendarList, default: ProblemSchema },
      },
    },
    async () => {
      const now = room.clock.now();
      const dates = room.dates.current;
      return {
        items: [...calendarRanges(dates, now)].map(([currency, range]) => ({
          currency,
          range: range && rangeView(range),
        })),
        runningShort: calendarsRunningShort(dates, now).map(({ currency }) => currency),
      };
    },
  );
}

function yearRoutes(app: FastifyInstance, { room }: CalendarsRoutesOptions): void {
  app.get<YearParams>(
    yearPath,
    {
      config: { access },
      schema: {
        tags,
        summary: "A currency's year: built-in days, an operator's changes, and what comes of both",
        params: schema.YearParams,
        response: { 200: schema.CalendarYear, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const currency = requireCurrency(room, request.params.currency);
      const year = pathYear(request.params.year);
      const [change] = await calendarYearVersions(room.pool, currency, year, 1);
      return withVersion(reply, calendarYearView(room, currency, year, change));
    },
  );

  app.put<YearParams>(
    yearPath,
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { access },
      schema: {
        tags,
        summary: "Replace an operator's changes of a currency's year",
        params: schema.YearParams,
        body: schema.SetCalendarYear,
        response: { 200: schema.CalendarYearSet, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const { currency } = request.params;
      const year = pathYear(request.params.year);
      const { changes, complete, reason } = request.body as schema.SetCalendarYear;
      const input = { complete, days: changes, reason };
      const { change, turned } = await setCalendarYear(room, currency, year, input, changeOf(request));
      const view = calendarYearView(room, currency, year, change);
      return { ...withVersion(reply, view), turnedDays: turnedView(turned) };
    },
  );
}

function historyRoute(app: FastifyInstance, { room, cursors }: CalendarsRoutesOptions): void {
  app.get<YearParams>(
    `${yearPath}/versions`,
    {
      config: { access },
      schema: {
        tags,
        summary: "Every version of an operator's changes of a year, newest first",
        params: schema.YearParams,
        querystring: schema.VersionQuery,
        response: { 200: schema.pageOf(schema.CalendarYearVersion), default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const currency = requireCurrency(room, request.params.currency);
      const year = pathYear(request.params.year);
      return sendVersions(
        request,
        reply,
        cursors,
        `calendar ${currency} ${year}`,
        (limit, before) => calendarYearVersions(room.pool, currency, year, limit, before),
        calendarYearVersionView,
      );
    },
  );
}
