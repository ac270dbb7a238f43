import type { FastifyInstance } from 'fastify';
import { ProblemSchema } from '../http/schema.ts';
import { Exposure } from '../pricing/exposure-schema.ts';
import { type ExposureServices, showExposure } from './show-exposure.ts';

/** `/v1/operator/exposure`; its limits are a document of the pricing room. */
export function exposureRoutes(app: FastifyInstance, services: ExposureServices): void {
  app.get(
    '/v1/operator/exposure',
    {
      config: { access: { audience: 'operator', scope: 'operator:limits' } },
      schema: {
        tags: ['Operator: pricing'],
        summary: "The house's position in each currency, and what open quotes may make of it",
        response: { 200: Exposure, default: ProblemSchema },
      },
    },
    async () => showExposure(services),
  );
}
