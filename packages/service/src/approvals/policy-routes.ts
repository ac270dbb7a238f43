import type { Operation } from '@firmquote/api/operation';
import * as api from '@firmquote/api/operations/four-eyes';
import type { FastifyInstance } from 'fastify';
import { inTransaction } from '../database/pool.ts';
import type { RawCommand } from '../http/command-desk.ts';
import { requireForm } from '../http/forms.ts';
import { serve } from '../http/serve.ts';
import { pointerTo, validationProblem } from '../problems/problem.ts';
import { serveVersions } from '../settings/serve-document.ts';
import type { PolicyDesk } from './command-desk.ts';
import { policyVersions, setPolicy, showPolicy } from './policy.ts';
import type { ApprovalsRoom } from './room.ts';
import { requireScope } from './who-decides.ts';

/** Which commands take two persons, and what a command would come to. */
export function policyRoutes(app: FastifyInstance, room: ApprovalsRoom, desk: PolicyDesk): void {
  serve(app, api.getFourEyesPolicy, async () => {
    const policy = await showPolicy(room.pool);
    return { version: policy.version, body: policy };
  });
  serve(app, api.setFourEyesPolicy, async ({ body, ifMatch, by }) => {
    const replacement = { by, at: room.clock.now(), ifMatch };
    const policy = await inTransaction(room.pool, (connection) => setPolicy(connection, body, replacement));
    return { version: policy.version, body: policy };
  });
  serveVersions(app, api.listFourEyesPolicyVersions, (...page) => policyVersions(room.pool, ...page));
  serve(app, api.dryRunCommand, async ({ body, caller, request }) => {
    const { operationId, params = {}, ifMatch } = body;
    const operation = desk.operationOf(operationId);
    requireScope(caller.scopes, operation.access?.scope ?? '');
    requireParams(operation, params);
    if (operation.body !== undefined) requireForm(request, operation.body, body.body ?? {});
    const command: RawCommand = { params, query: {}, body: body.body ?? {}, ifMatch };
    const tried = await desk.dryRun(operationId, command, caller);
    const { kind, why, reported, affected } = tried;
    const needsTwo = tried.result.status === 202 || why.length > 0;
    return {
      body: { kind, needsTwo, why, effects: [...reported], affected } as api.DryRun,
    };
  });
}

/** Those of its own address, all of them and no others. @throws Problem validation_failed */
function requireParams({ params: declared = {} }: Operation, given: Readonly<Record<string, string>>): void {
  const missing = Object.keys(declared).filter((name) => !Object.hasOwn(given, name));
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(declared, name));
  if (missing.length + unknown.length === 0) return;
  const wrong = (code: string, detail: string) => (name: string) => ({
    pointer: `/params${pointerTo(name)}`,
    code,
    detail,
  });
  throw validationProblem([
    ...unknown.map(wrong('unknown_field', 'is not a field of this request')),
    ...missing.map(wrong('required', 'is required')),
  ]);
}
