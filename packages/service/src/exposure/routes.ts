import {
  getExposure,
  getExposureLimits,
  listExposureLimitVersions,
  setExposureLimits,
} from '@firmquote/api/operations/pricing';
import type { FastifyInstance } from 'fastify';
import { serve } from '../http/serve.ts';
import { serveDocument } from '../settings/serve-document.ts';
import type { ExposureRoom } from './room.ts';
import { showExposure } from './show-exposure.ts';

/** `/v1/operator/exposure` and the limits that it is held against. */
export function exposureRoutes(app: FastifyInstance, room: ExposureRoom): void {
  const ofLimits = { get: getExposureLimits, set: setExposureLimits, list: listExposureLimitVersions };
  serveDocument(app, ofLimits, room.limits, room.clock);
  serve(app, getExposure, async () => ({ body: await showExposure(room) }));
}
