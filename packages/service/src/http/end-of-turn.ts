import type { onSendHookHandler } from 'fastify';

/**
 * `onSend` of routes that answer without waiting for anything: what arrived in one turn of the event loop is answered
 * together at its end. Written one by one, each answer wakes a peer on the same machine (a proxy, say) that has fallen
 * asleep since the one before, and waking it took as long as all else of an indicative price. Answers that wait for
 * the database are together already, and their peers are better told early.
 */
export const atEndOfTurn: onSendHookHandler = (_request, _reply, payload, done) => {
  setImmediate(done, null, payload);
};
