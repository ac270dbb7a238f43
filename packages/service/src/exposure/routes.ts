import { getExposure } from '@firmquote/api/operations/pricing';
import type { FastifyInstance } from 'fastify';
import { serve } from '../http/serve.ts';
import type { ExposureRoom } from './room.ts';
import { showExposure } from './show-exposure.ts';

/** `/v1/operator/exposure`; its limits are a document of the pricing room. */
export function exposureRoutes(app: FastifyInstance, services: ExposureRoom): void {
  serve(app, getExposure, async () => ({ body: await showExposure(services) }));
}
