import { OPERATOR_WEBHOOKS, WEBHOOKS, type WebhookOperations } from '@firmquote/api/operations/webhooks';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { customerOf } from '../http/context.ts';
import { type Result, serve } from '../http/serve.ts';
import { typeId } from '../platform/ids.ts';
import { type DeliveryRow, listDeliveries } from './delivery-store.ts';
import { type EndpointRow, listEndpoints } from './endpoint-store.ts';
import { replayDelivery, replayMany, sendTest } from './make-again.ts';
import type { Owner, WebhooksRoom } from './room.ts';
import {
  createEndpoint,
  existingEndpoint,
  removeEndpoint,
  rotateSecret,
  updateEndpoint,
  type WithSecret,
} from './set-endpoint.ts';
import { deliveryViews, endpointView, withSecretView } from './view.ts';

/** Endpoints of customers and of operators, what was sent to them, and what is sent again. */
export function webhookRoutes(app: FastifyInstance, room: WebhooksRoom): void {
  routesOf(app, room, WEBHOOKS, (request) => customerOf(request).customerId);
  routesOf(app, room, OPERATOR_WEBHOOKS, () => null);
}

function routesOf(
  app: FastifyInstance,
  room: WebhooksRoom,
  api: WebhookOperations,
  ownerOf: (request: FastifyRequest) => Owner,
): void {
  const { pool, realClock } = room;
  const shown = (row: EndpointRow): Result => ({
    version: row.version,
    body: endpointView(row, realClock.now()),
  });
  const shownOnce = (made: WithSecret): Result => ({
    version: made.endpoint.version,
    body: withSecretView(made, realClock.now()),
  });
  serve(app, api.create, async ({ request, body, inCommit }) => {
    const made = (each: WithSecret): Result => ({
      ...shownOnce(each),
      headers: { Location: `${api.create.path}/${typeId('whk', each.endpoint.id)}` },
    });
    await createEndpoint(room, ownerOf(request), body, inCommit(made));
    return undefined;
  });
  serve(app, api.list, async ({ request, page }) => {
    const rows = await listEndpoints(pool, ownerOf(request), page.afterId, page.rows);
    const now = realClock.now();
    return {
      body: page.of(
        rows,
        (row) => [row.id],
        (row) => endpointView(row, now),
      ),
    };
  });
  serve(app, api.get, async ({ request, params }) =>
    shown(await existingEndpoint(pool, ownerOf(request), params.webhookId)),
  );
  serve(app, api.update, async ({ request, params, body, ifMatch }) =>
    shown(await updateEndpoint(room, ownerOf(request), params.webhookId, body, ifMatch)),
  );
  serve(app, api.remove, async ({ request, params }) => {
    await removeEndpoint(room, ownerOf(request), params.webhookId);
    return { status: 204 };
  });
  serve(app, api.rotate, async ({ request, params, body, inCommit }) => {
    await rotateSecret(room, ownerOf(request), params.webhookId, body.overlapHours, inCommit(shownOnce));
    return undefined;
  });
  deliveryRoutes(app, room, api, ownerOf);
}

function deliveryRoutes(
  app: FastifyInstance,
  room: WebhooksRoom,
  api: WebhookOperations,
  ownerOf: (request: FastifyRequest) => Owner,
): void {
  const { pool } = room;
  const viewOf = async (owner: Owner, row: DeliveryRow): Promise<Result> => {
    const views = await deliveryViews(room, owner, [row]);
    return { body: views.get(row) };
  };
  serve(app, api.test, async ({ request, params }) => {
    const owner = ownerOf(request);
    return viewOf(owner, await sendTest(room, owner, params.webhookId));
  });
  serve(app, api.deliveries, async ({ request, params, query, page }) => {
    const owner = ownerOf(request);
    const { id } = await existingEndpoint(pool, owner, params.webhookId);
    const rows = await listDeliveries(pool, id, query.status, page.afterId, page.rows);
    const views = await deliveryViews(room, owner, rows);
    return {
      body: page.of(
        rows,
        (row) => [row.event_id],
        (row) => views.get(row),
      ),
    };
  });
  serve(app, api.replay, async ({ request, params }) => {
    const owner = ownerOf(request);
    return viewOf(owner, await replayDelivery(room, owner, params.webhookId, params.eventId));
  });
  serve(app, api.replayMany, async ({ request, params, query }) => {
    const { replayed, last, hasMore } = await replayMany(room, ownerOf(request), params.webhookId, query);
    return {
      body: { replayed, lastEventId: last === undefined ? null : typeId('evt', last), hasMore },
    };
  });
}
