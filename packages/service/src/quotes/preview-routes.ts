import { previewSpreadRules } from '@firmquote/api/operations/spread-rules';
import type { FastifyInstance } from 'fastify';
import { serve } from '../http/serve.ts';
import { type PreviewRoom, previewPrice } from './preview-price.ts';

/** A set of rules may come with the request. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024; // limit: Body of a preview with spread rules

/** `/v1/operator/spread-rules/preview`: what a change of the rules would do to a price (docs/interface.md#spreads). */
export function previewRoutes(app: FastifyInstance, room: PreviewRoom): void {
  serve(app, previewSpreadRules, async ({ body }) => ({ body: await previewPrice(room, body) }), {
    bodyLimit: BODY_LIMIT_BYTES,
  });
}
