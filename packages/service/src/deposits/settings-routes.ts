import type { FastifyInstance } from 'fastify';
import { etagOf, ifNoneMatch, parseIfMatch, requireVersion } from '../http/conditional.ts';
import type { RouteAccess } from '../http/context.ts';
import { ProblemSchema } from '../http/schema.ts';
import { Problem } from '../problems/problem.ts';
import { operatorOf } from './order-routes.ts';
import { previewRules } from './preview-rules.ts';
import type { DepositsRoom } from './room.ts';
import * as schema from './settings-schema.ts';
import { newestRules, type StoredRules, writeRules } from './settings-store.ts';

const PATH = '/v1/operator/matching-rules';
const access: RouteAccess = { audience: 'operator', scope: 'operator:deposits' };
const tags = ['Operator: deposits'];
const PREVIEW_DEPOSITS = 50;

/** The rules of matching as operators' data, one document, every version kept. */
export function settingsRoutes(app: FastifyInstance, room: DepositsRoom): void {
  const response = { 200: schema.MatchingRulesAnswer, default: ProblemSchema };
  app.get(
    PATH,
    { config: { access }, schema: { tags, summary: 'Read the rules of matching', response } },
    async (request, reply) => {
      const rules = await newestRules(room.pool);
      reply.header('ETag', etagOf(rules.version));
      if (ifNoneMatch(request.headers['if-none-match'], rules.version)) return reply.code(304).send();
      return answerOf(rules);
    },
  );
  app.put(
    PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Replace the rules of matching',
        body: schema.MatchingRulesDocument,
        response,
      },
    },
    async (request, reply) => {
      const ifMatch = parseIfMatch(request.headers['if-match']);
      if (ifMatch === undefined) {
        throw new Problem('precondition_required', 'Send the ETag of the rules of matching as If-Match.');
      }
      const document = request.body as schema.MatchingRulesDocument;
      const rules = await replaceRules(room, document, ifMatch, operatorOf(request));
      return reply.header('ETag', etagOf(rules.version)).send(answerOf(rules));
    },
  );
  app.post(
    `${PATH}/preview`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Run a draft of the rules against the newest deposits; nothing is saved',
        body: schema.PreviewRules,
        response: { 200: schema.PreviewAnswer, default: ProblemSchema },
      },
    },
    async (request) => {
      const { rules, deposits } = request.body as schema.PreviewRules;
      return previewRules(room.pool, rules, deposits ?? PREVIEW_DEPOSITS);
    },
  );
}

/** @throws Problem version_mismatch, also when somebody else was a moment faster */
async function replaceRules(
  room: DepositsRoom,
  document: schema.MatchingRulesDocument,
  ifMatch: number | '*',
  changedBy: string,
): Promise<StoredRules> {
  const current = await newestRules(room.pool);
  requireVersion(ifMatch, current.version);
  const next = { version: current.version + 1, document };
  if (await writeRules(room.pool, next, changedBy, room.clock.now())) return next;
  const { version } = await newestRules(room.pool);
  throw new Problem('version_mismatch', `The current version is ${version}.`, {
    members: { currentVersion: version },
    headers: { ETag: etagOf(version) },
  });
}

function answerOf({ version, document }: StoredRules) {
  return { version, ...document };
}
