import type { FastifyInstance } from 'fastify';
import type { Neighbours } from '../platform/neighbours.ts';
import { LOOK } from './follower.ts';

/** Where something is set that others follow. */
const SETS = /^\/v1\/(operator|sandbox)\//;
/** These come often, set nothing, and go a way of their own. */
const PRICES = /^\/v1\/operator\/prices/;
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** What an operator sets is in force in every process of the service when it is answered, whichever took the request. */
export function othersFollow(app: FastifyInstance, neighbours: Neighbours): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const route = request.routeOptions.url ?? '';
    if (READS.has(request.method) || reply.statusCode >= 400 || !SETS.test(route) || PRICES.test(route)) {
      done(null, payload);
      return;
    }
    void neighbours.ask(LOOK).then(() => done(null, payload));
  });
}
