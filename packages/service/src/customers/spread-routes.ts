import type { FastifyInstance, FastifyReply } from 'fastify';
import { etagOf, ifNoneMatch, parseIfMatch } from '../http/conditional.ts';
import { ProblemSchema } from '../http/schema.ts';
import { Problem } from '../problems/problem.ts';
import { type CustomerRoutesOptions, operatorAccess } from './route-helpers.ts';
import { setSpreadRules } from './set-spread-rules.ts';
import * as schema from './spread-schema.ts';
import { readRuleSet, type SpreadRuleSet } from './spread-store.ts';
import { spreadRulesView } from './view.ts';

const access = operatorAccess('operator:spreads');
const tags = ['Operator: spreads'];
const path = '/v1/operator/spread-rules';
/** The largest permitted set is about 3 MB. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

export function spreadRoutes(app: FastifyInstance, { room }: CustomerRoutesOptions): void {
  app.get(
    path,
    {
      config: { access },
      schema: {
        tags,
        summary: 'The spread rules in force, with the version of the set',
        response: { 200: schema.SpreadRules, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const set = await readRuleSet(room.pool);
      if (ifNoneMatch(request.headers['if-none-match'], set.version)) {
        return reply.header('ETag', etagOf(set.version)).code(304).send();
      }
      return show(reply, set);
    },
  );

  app.put(
    path,
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { access },
      schema: {
        tags,
        summary: 'Replace the spread rules',
        body: schema.SetSpreadRules,
        response: { 200: schema.SpreadRules, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const ifMatch = parseIfMatch(request.headers['if-match']);
      if (ifMatch === undefined) {
        throw new Problem(
          'precondition_required',
          'Send the ETag of the rules that these replace as If-Match.',
        );
      }
      const { rules } = request.body as schema.SetSpreadRules;
      return show(reply, await setSpreadRules(room, rules, ifMatch));
    },
  );
}

function show(reply: FastifyReply, set: SpreadRuleSet): schema.SpreadRules {
  reply.header('ETag', etagOf(set.version));
  return spreadRulesView(set);
}
