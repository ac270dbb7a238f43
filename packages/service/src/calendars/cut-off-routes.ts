import { CURRENCIES, currencyStatus, tradeDateAt } from '@firmquote/fx';
import type { FastifyInstance } from 'fastify';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { requireCurrency } from './room.ts';
import { access, changeOf, sendVersions, tags, withVersion } from './route-helpers.ts';
import type { CalendarsRoutesOptions } from './routes.ts';
import * as schema from './schema.ts';
import { inForce, setCutOff } from './set-cut-off.ts';
import { cutOffsInForce, cutOffVersions } from './store.ts';
import { cutOffVersionView, cutOffView } from './view.ts';

const path = '/v1/operator/cutoffs';
const currencyPath = `${path}/:currency`;

interface CurrencyParams {
  Params: { currency: string };
}

export function cutOffRoutes(app: FastifyInstance, options: CalendarsRoutesOptions): void {
  readRoutes(app, options);
  setRoute(app, options);
  historyRoute(app, options);
}

function readRoutes(app: FastifyInstance, { room }: CalendarsRoutesOptions): void {
  app.get(
    path,
    {
      config: { access },
      schema: {
        tags,
        summary: 'The same-day cut-off of every currency',
        response: { 200: schema.CutOffList, default: ProblemSchema },
      },
    },
    async () => {
      const changes = await cutOffsInForce(room.pool);
      const today = tradeDateAt(room.clock.now());
      const tradable = CURRENCIES.filter(({ code }) => currencyStatus(code, today) === 'tradable');
      return { items: tradable.map(({ code }) => cutOffView(room, inForce(code, changes.get(code)))) };
    },
  );

  app.get<CurrencyParams>(
    currencyPath,
    {
      config: { access },
      schema: {
        tags,
        summary: 'The same-day cut-off of a currency',
        params: schema.CurrencyParams,
        response: { 200: schema.CutOff, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const currency = requireCurrency(room, request.params.currency);
      const [change] = await cutOffVersions(room.pool, currency, 1);
      return withVersion(reply, cutOffView(room, inForce(currency, change)));
    },
  );
}

function setRoute(app: FastifyInstance, { room }: CalendarsRoutesOptions): void {
  app.put<CurrencyParams>(
    currencyPath,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Set the same-day cut-off of a currency',
        description: 'Quotes and transactions that exist keep the instants that they were given.',
        params: schema.CurrencyParams,
        body: schema.SetCutOff,
        response: { 200: schema.CutOff, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const { currency } = request.params;
      const set = await setCutOff(room, currency, request.body as schema.SetCutOff, changeOf(request));
      return withVersion(reply, cutOffView(room, set));
    },
  );
}

function historyRoute(app: FastifyInstance, { room, cursors }: CalendarsRoutesOptions): void {
  app.get<CurrencyParams>(
    `${currencyPath}/versions`,
    {
      config: { access },
      schema: {
        tags,
        summary: "Every version of a currency's cut-off, newest first",
        params: schema.CurrencyParams,
        querystring: schema.VersionQuery,
        response: { 200: schema.pageOf(schema.CutOffVersion), default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const currency = requireCurrency(room, request.params.currency);
      return sendVersions(
        request,
        reply,
        cursors,
        `cut-off ${currency}`,
        (limit, before) => cutOffVersions(room.pool, currency, limit, before),
        cutOffVersionView,
      );
    },
  );
}
