import type { IndicativeRequest } from '@firmquote/api/operations/quotes';
import { knownCurrency, pairOf } from '@firmquote/fx';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { customerOf } from '../http/context.ts';
import { requestIndicative } from '../quotes/request-indicative.ts';
import type { QuotesRoom } from '../quotes/room.ts';
import { accessCheck } from './access-check.ts';
import { StreamConnection } from './connection.ts';
import { answerEventStream, isGone } from './event-stream.ts';
import type { StreamsRoom } from './room.ts';
import { resync } from './routes.ts';
import type { Render, Rendered } from './topic.ts';

/**
 * `POST /v1/customer/quotes/indicative` with `Accept: text/event-stream`: the answer of docs/interface.md#indicative-prices, again and again
 * whenever it changes. It is the customer's own, so it is a price group of its own.
 */
export function indicativeStream(room: StreamsRoom, quotes: QuotesRoom) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    body: IndicativeRequest,
    lastEventId: string | undefined,
  ): Promise<void> => {
    const { hub } = room;
    const { customerId } = customerOf(request);
    // Before anything is opened: what is wrong with the request is answered as a problem.
    let first: string | undefined = await requestIndicative(quotes, customerId, body);
    const pair = pairOf(knownCurrency(body.sellCurrency), knownCurrency(body.buyCurrency));
    const slot = hub.slots.take(customerId, [pair.code]);
    let opened = false;
    try {
      if (isGone(reply)) return;
      const transport = answerEventStream(request, reply, () => hub.gone(connection));
      const connection = new StreamConnection(customerId, transport, hub.counts);
      if (lastEventId !== undefined) connection.post(resync(lastEventId));
      opened = true;
      hub.open(connection, {
        check: accessCheck(room, request),
        follow: () => undefined,
        onEnd: () => hub.slots.release(slot),
      });
      const render: Render = () => {
        const answer = first ?? requestIndicative(quotes, customerId, body);
        first = undefined;
        if (typeof answer === 'string') return rendered(answer);
        // The customer is read anew; what comes of it is asked for again on the next turn.
        answer.then(
          () => hub.touch(pair),
          () => undefined,
        );
        return undefined;
      };
      const key = `indicative|${slotNumber()}`;
      hub.attempt(connection, () => hub.subscribe(connection, 'indicative', pair, key, render));
      hub.flush(connection);
    } finally {
      if (!opened) hub.slots.release(slot);
    }
  };
}

/** That the price is looked at later is no change of it. */
function rendered(data: string): Rendered {
  return { data, content: data.replace(/"asOf":"[^"]*","ageMs":\d+/, '') };
}

let slots = 0;

/** Tells the topics of indicative streams apart: each has one reader. */
function slotNumber(): number {
  slots += 1;
  return slots;
}
