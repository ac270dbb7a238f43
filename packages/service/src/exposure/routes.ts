import { getExposure } from '@firmquote/api/operations/pricing';
import type { FastifyInstance } from 'fastify';
import { serve } from '../http/serve.ts';
import { type ExposureServices, showExposure } from './show-exposure.ts';

/** `/v1/operator/exposure`; its limits are a document of the pricing room. */
export function exposureRoutes(app: FastifyInstance, services: ExposureServices): void {
  serve(app, getExposure, async () => ({ body: await showExposure(services) }));
}
