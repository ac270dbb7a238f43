import type { FastifyInstance } from 'fastify';
import { ProblemSchema } from '../http/schema.ts';
import { type PreviewServices, previewPrice } from './preview-price.ts';
import { Preview, PreviewRequest } from './preview-schema.ts';

/** A set of rules may come with the request. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024; // limit: Body of a preview with spread rules

/** `/v1/operator/spread-rules/preview`: what a change of the rules would do to a price (docs/interface.md#spreads). */
export function previewRoutes(app: FastifyInstance, services: PreviewServices): void {
  app.post<{ Body: PreviewRequest }>(
    '/v1/operator/spread-rules/preview',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { access: { audience: 'operator', scope: 'operator:spreads' } },
      schema: {
        tags: ['Operator: spreads'],
        summary: 'Price a sample request by the rules in force and by a draft',
        body: PreviewRequest,
        response: { 200: Preview, default: ProblemSchema },
      },
    },
    async (request) => previewPrice(services, request.body),
  );
}
