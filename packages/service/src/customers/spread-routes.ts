import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { etagOf, ifNoneMatch, parseIfMatch } from '../http/conditional.ts';
import { ProblemSchema } from '../http/schema.ts';
import { Problem } from '../problems/problem.ts';
import { type CustomerRoutesOptions, operatorAccess } from './route-helpers.ts';
import { NoBody } from './schema.ts';
import { setSpreadRules } from './set-spread-rules.ts';
import { activateDraft, discardDraft, setDraft } from './spread-draft.ts';
import * as schema from './spread-schema.ts';
import { readDraft, readRuleSet, type SpreadRuleDraft, type SpreadRuleSet } from './spread-store.ts';
import { spreadRuleDraftView, spreadRulesView } from './view.ts';

const access = operatorAccess('operator:spreads');
const tags = ['Operator: spreads'];
const path = '/v1/operator/spread-rules';
/** The largest permitted set is about 3 MB. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024; // limit: Body with spread rules

export function spreadRoutes(app: FastifyInstance, options: CustomerRoutesOptions): void {
  ruleRoutes(app, options);
  draftRoutes(app, options);
}

function ruleRoutes(app: FastifyInstance, { room }: CustomerRoutesOptions): void {
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
      const { rules } = request.body as schema.SetSpreadRules;
      const ifMatch = requireIfMatch(request, 'Send the ETag of the rules that these replace as If-Match.');
      return show(reply, await setSpreadRules(room, rules, ifMatch));
    },
  );
}

function draftRoutes(app: FastifyInstance, { room }: CustomerRoutesOptions): void {
  const draftPath = `${path}/draft`;
  const needsDraft = 'Send the ETag of the draft as If-Match.';
  app.get(
    draftPath,
    {
      config: { access },
      schema: {
        tags,
        summary: 'The draft of the next spread rules',
        response: { 200: schema.SpreadRuleDraft, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const draft = await readDraft(room.pool);
      if (ifNoneMatch(request.headers['if-none-match'], draft.version)) {
        return reply.header('ETag', etagOf(draft.version)).code(304).send();
      }
      return showDraft(reply, draft);
    },
  );

  app.put(
    draftPath,
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { access },
      schema: {
        tags,
        summary: 'Keep a draft of the next spread rules',
        body: schema.SetSpreadRules,
        response: { 200: schema.SpreadRuleDraft, default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const { rules } = request.body as schema.SetSpreadRules;
      return showDraft(reply, await setDraft(room, rules, requireIfMatch(request, needsDraft)));
    },
  );

  app.delete(
    draftPath,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Forget the draft',
        response: { 200: schema.SpreadRuleDraft, default: ProblemSchema },
      },
    },
    async (request, reply) => showDraft(reply, await discardDraft(room, requireIfMatch(request, needsDraft))),
  );

  app.post(
    `${draftPath}/activate`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Put the draft in force',
        description: 'One commit. Repeating it is refused by `If-Match`: the draft has another version then.',
        body: NoBody,
        response: { 200: schema.SpreadRules, default: ProblemSchema },
      },
    },
    async (request, reply) => show(reply, await activateDraft(room, requireIfMatch(request, needsDraft))),
  );
}

function requireIfMatch(request: FastifyRequest, detail: string): number | '*' {
  const ifMatch = parseIfMatch(request.headers['if-match']);
  if (ifMatch === undefined) throw new Problem('precondition_required', detail);
  return ifMatch;
}

function showDraft(reply: FastifyReply, draft: SpreadRuleDraft): schema.SpreadRuleDraft {
  reply.header('ETag', etagOf(draft.version));
  return spreadRuleDraftView(draft);
}

function show(reply: FastifyReply, set: SpreadRuleSet): schema.SpreadRules {
  reply.header('ETag', etagOf(set.version));
  return spreadRulesView(set);
}
