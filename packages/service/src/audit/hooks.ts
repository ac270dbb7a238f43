import type { FastifyInstance, FastifyRequest } from 'fastify';
import { actOf } from '../http/acts.ts';
import { uuidIn } from '../platform/ids.ts';
import type { AuditNotes } from './notes.ts';

/** Refusals of somebody who wants what is not for it. */
const OF_SECURITY: ReadonlySet<string> = new Set([
  'token_invalid',
  'ip_not_allowed',
  'insufficient_scope',
  'customer_suspended',
  'second_person_required',
  'own_client',
  'cross_site_request',
  'fresh_sign_in_required',
  'sign_in_refused',
  'invalid_client',
  'unauthorized_client',
  'invalid_target',
  'invalid_scope',
  'invitation_invalid',
]);
/** What a second person says, whatever stands against it: a proposal that was decided on, is over, or has changed. */
const DECISIONS: ReadonlySet<string> = new Set(['approve', 'rejectApproval']);

/**
 * Notes refusals, sign-ins and reading of what is secret or personal, before the answer is sent: who leaves in the middle of it has
 * read as well.
 */
export function auditHooks(app: FastifyInstance, notes: AuditNotes): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { operation } = request.routeOptions.config;
    const { problemCode } = request;
    if (problemCode !== undefined) {
      if (isOfSecurity(request, problemCode)) {
        const act = actOf(operation ?? pageOf(request), request, 'refusal', problemCode);
        notes.note({ ...act, subjects: [...act.subjects, ...claimedIds(request)] });
      }
    } else if (operation?.audited === 'read') {
      if (reply.statusCode < 300) notes.note(actOf(operation, request, 'read'));
    } else if (operation?.audited === 'sign_in' && reply.statusCode < 300) {
      notes.note(actOf(operation, request, 'sign_in'));
    }
    done(null, payload);
  });
}

function isOfSecurity({ routeOptions, headers }: FastifyRequest, code: string): boolean {
  if (OF_SECURITY.has(code) || DECISIONS.has(routeOptions.config.operation?.id ?? '')) return true;
  // A token ends by itself; a session that somebody goes on with when it has ended may be a stolen one.
  return code === 'token_expired' && headers.authorization === undefined;
}

/** Pages and requests of browsers, which are no operations: by the name that their sign-ins have. */
function pageOf({ routeOptions }: FastifyRequest): { readonly id: string } {
  const [, page] = /^\/auth\/(.+)$/.exec(routeOptions.url ?? '') ?? [];
  return { id: page === undefined ? 'unknown' : `auth:${page}` };
}

/** Whom a refused request says that it comes from. */
function claimedIds({ caller, claimedClientId, claimedPersonId }: FastifyRequest): string[] {
  if (caller !== undefined) return [];
  return [uuidIn(claimedClientId ?? ''), claimedPersonId].filter((id) => id !== undefined);
}
