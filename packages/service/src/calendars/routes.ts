import { hash } from 'node:crypto';
import type { QueryOf } from '@firmquote/api/operation';
import * as api from '@firmquote/api/operations/calendars';
import { CURRENCIES, currencyStatus, tradeDateAt } from '@firmquote/fx';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { queryProblem, readQuery } from '../http/parameters.ts';
import { type Result, serve } from '../http/serve.ts';
import { typeId } from '../platform/ids.ts';
import { validationProblem } from '../problems/problem.ts';
import { proposeImport, showImport } from './import-calendars.ts';
import { FILE_BYTES_MAX } from './import-file.ts';
import { calendarRanges, calendarsRunningShort, requireCurrency } from './range.ts';
import type { CalendarsRoom } from './room.ts';
import { setCalendarYear } from './set-calendar-year.ts';
import { inForce, setCutOff } from './set-cut-off.ts';
import { calendarYearVersions, cutOffsInForce, cutOffVersions } from './store.ts';
import {
  calendarYearVersionView,
  calendarYearView,
  cutOffVersionView,
  cutOffView,
  importView,
  rangeView,
  turnedView,
} from './view.ts';

/** A year with every day in it and the longest texts, also where a letter takes four bytes, is 600 kB. */
const BODY_LIMIT_BYTES = 1024 * 1024; // limit: Body with a calendar year
const YEARS_MAX = 10; // limit: Years of one import

/** `/v1/operator/calendars`, `/v1/operator/calendar-imports` and `/v1/operator/cutoffs` (docs/interface.md#cut-offs). */
export function calendarsRoutes(app: FastifyInstance, room: CalendarsRoom): void {
  calendarRoutes(app, room);
  importRoutes(app, room);
  cutOffRoutes(app, room);
}

function calendarRoutes(app: FastifyInstance, room: CalendarsRoom): void {
  serve(app, api.listCalendars, () => {
    const now = room.clock.now();
    const dates = room.dates.current;
    const items = [...calendarRanges(dates, now)].map(([currency, range]) => ({
      currency,
      range: range && rangeView(range),
    }));
    return {
      body: { items, runningShort: calendarsRunningShort(dates, now).map(({ currency }) => currency) },
    };
  });
  serve(app, api.getCalendarYear, async ({ params }) => {
    const currency = requireCurrency(room, params.currency);
    const [change] = await calendarYearVersions(room.pool, currency, params.year, 1);
    return withVersion(calendarYearView(room, currency, params.year, change));
  });
  serve(
    app,
    api.setCalendarYear,
    async ({ params, body, by: clientId, ifMatch }) => {
      const { currency, year } = params;
      const input = { complete: body.complete, days: body.changes, reason: body.reason };
      const { change, turned } = await setCalendarYear(room, currency, year, input, { clientId, ifMatch });
      const view = calendarYearView(room, currency, year, change);
      return withVersion({ ...view, turnedDays: turnedView(turned) });
    },
    { bodyLimit: BODY_LIMIT_BYTES },
  );
  serve(app, api.listCalendarYearVersions, async ({ params, page }) => {
    const currency = requireCurrency(room, params.currency);
    const rows = await calendarYearVersions(
      room.pool,
      currency,
      params.year,
      page.rows,
      page.place('number')?.[0],
    );
    return { body: page.of(rows, ({ version }) => [version], calendarYearVersionView) };
  });
}

function cutOffRoutes(app: FastifyInstance, room: CalendarsRoom): void {
  serve(app, api.listCutOffs, async () => {
    const changes = await cutOffsInForce(room.pool);
    const today = tradeDateAt(room.clock.now());
    const tradable = CURRENCIES.filter(({ code }) => currencyStatus(code, today) === 'tradable');
    const items = tradable.map(({ code }) => cutOffView(room, inForce(code, changes.get(code))));
    return { body: { items } };
  });
  serve(app, api.getCutOff, async ({ params }) => {
    const currency = requireCurrency(room, params.currency);
    const [change] = await cutOffVersions(room.pool, currency, 1);
    return withVersion(cutOffView(room, inForce(currency, change)));
  });
  serve(app, api.setCutOff, async ({ params, body, by: clientId, ifMatch }) =>
    withVersion(cutOffView(room, await setCutOff(room, params.currency, body, { clientId, ifMatch }))),
  );
  serve(app, api.listCutOffVersions, async ({ params, page }) => {
    const currency = requireCurrency(room, params.currency);
    const rows = await cutOffVersions(room.pool, currency, page.rows, page.place('number')?.[0]);
    return { body: page.of(rows, ({ version }) => [version], cutOffVersionView) };
  });
}

/** With its version as ETag. It is for If-Match only: what is shown beside the version moves with the day. */
function withVersion<Body extends { readonly version: number }>(body: Body): Result {
  return { version: body.version, headers: { 'Cache-Control': 'no-store' }, body };
}

/** A file as it stands in the request. */
interface SentFile {
  readonly sha256: string;
  readonly text: string;
}

function importRoutes(app: FastifyInstance, room: CalendarsRoom): void {
  // The body is the file.
  app.register(async (uploads) => {
    uploads.removeAllContentTypeParsers();
    uploads.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    serve(
      uploads,
      api.proposeCalendarImport,
      async ({ request, query, by, inCommit }) => {
        const { text, sha256 } = request.body as SentFile;
        const command = { ...requestedRange(query), text, sha256, by };
        await proposeImport(
          room,
          command,
          inCommit((proposed) => {
            const body = importView(proposed);
            const Location = `${api.proposeCalendarImport.path}/${typeId('cim', proposed.made.id)}`;
            return { headers: { Location }, body };
          }),
        );
      },
      { bodyLimit: FILE_BYTES_MAX, preHandler: readFile },
    );
  });
  serve(app, api.getCalendarImport, async ({ params }) => ({
    body: importView(await showImport(room, params.importId)),
  }));
}

async function readFile(request: FastifyRequest): Promise<void> {
  const { body } = request;
  // What is asked is judged before what is sent.
  readQuery(api.proposeCalendarImport, request.query);
  if (!Buffer.isBuffer(body) || body.length === 0) throw fileProblem('required', 'must be the file');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw fileProblem('wrong_format', 'must be UTF-8');
  }
  const sent: SentFile = { sha256: hash('sha256', body, 'hex'), text };
  request.body = sent;
}

function fileProblem(code: string, detail: string) {
  return validationProblem([{ pointer: '', code, detail }]);
}

function requestedRange(query: QueryOf<typeof api.proposeCalendarImport>) {
  const { fromYear, toYear, currencies, centres = [] } = query;
  if (fromYear > toYear || toYear - fromYear >= YEARS_MAX) {
    const detail = `must be fromYear or one of the ${YEARS_MAX - 1} years after it`;
    throw queryProblem('toYear', 'out_of_range', detail);
  }
  const pairs = centres.map((text) => text.split(':') as [string, string]);
  const [names, codes] = [pairs.map(([name]) => name), pairs.map(([, code]) => code)];
  if (new Set(names).size < names.length || new Set(codes).size < codes.length) {
    throw queryProblem('centres', 'repeated', 'must name each centre and each currency once');
  }
  return {
    source: notBlank('source', query.source),
    reason: notBlank('reason', query.reason),
    fromYear,
    toYear,
    currencies: currencies && new Set(currencies),
    centres: query.centres && new Map(pairs),
  };
}

function notBlank(name: string, text: string): string {
  if (text.trim() === '') throw queryProblem(name, 'required', 'must be given');
  return text.trim();
}
