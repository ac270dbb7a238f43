import * as api from '@firmquote/api/operations/keys';
import type { FastifyInstance } from 'fastify';
import { serve } from '../http/serve.ts';
import { listKeys, revokeKey, rotateKey } from './replace-keys.ts';
import type { Keys } from './room.ts';

export function keyRoutes(app: FastifyInstance, room: Keys): void {
  serve(app, api.listKeys, async () => ({ body: { keys: await listKeys(room.pool, room.rotationDays) } }));
  serve(app, api.rotateKey, async ({ body }) => ({ body: await rotateKey(room, body.purpose, body.reason) }));
  serve(app, api.revokeKey, async ({ params, body }) => ({
    body: await revokeKey(room, params.kid, body.reason),
  }));
}
