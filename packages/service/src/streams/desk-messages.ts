import { isUtf8 } from 'node:buffer';
import { PriceSocketCommand } from '@firmquote/api/operations/price-streams';
import type { FastifyRequest } from 'fastify';
import { rateLimited } from '../http/access.ts';
import type { RateDecision } from '../http/rate-limits.ts';
import { Problem } from '../problems/problem.ts';
import type { StreamConnection } from './connection.ts';
import { Frame } from './frame.ts';
import type { PriceReader } from './price-reader.ts';
import { requireTerms, resolvePrices } from './price-request.ts';
import type { StreamsRoom } from './room.ts';
import type { Slot } from './slots.ts';

export interface Desk {
  readonly room: StreamsRoom;
  readonly connection: StreamConnection;
  readonly reader: PriceReader;
  readonly slot: Slot;
  readonly request: FastifyRequest;
}

type OnError = (error: unknown, requestId: string | undefined) => void;

/** Messages that are read but not done with; more than these are refused. */
const MESSAGES_WAITING_MAX = 32; // limit: Messages to a WebSocket that wait

/** What a desk says over its WebSocket. Messages are done one after the other, in the order in which they came. */
export class DeskMessages {
  readonly number: number;
  readonly #desk: Desk;
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(desk: Desk) {
    this.#desk = desk;
    connections += 1;
    this.number = connections;
  }

  receive(data: Buffer, isBinary: boolean, decision: RateDecision, onError: OnError): void {
    let requestId: string | undefined;
    try {
      if (!decision.allowed || this.#waiting >= MESSAGES_WAITING_MAX) throw rateLimited(decision);
      const parsed = parse(data, isBinary);
      requestId = requestIdOf(parsed);
      const message = this.#validated(parsed);
      this.#waiting++;
      this.#tail = this.#tail
        .then(() => this.#do(message))
        .catch((error: unknown) => onError(error, requestId))
        .finally(() => {
          this.#waiting--;
        });
    } catch (error) {
      onError(error, requestId);
    }
  }

  #validated(parsed: unknown): PriceSocketCommand {
    const validate = this.#desk.request.compileValidationSchema(PriceSocketCommand);
    if (validate(parsed)) return parsed as PriceSocketCommand;
    throw Object.assign(new Error('the message is not valid'), {
      validation: validate.errors,
      validationContext: 'body',
    });
  }

  async #do(message: PriceSocketCommand): Promise<void> {
    const { room, connection, reader, slot } = this.#desk;
    const { hub } = room;
    if (message.action === 'unsubscribe') {
      reader.remove(new Set(message.pairs));
      hub.slots.read(slot, reader.pairs);
    } else {
      const wanted = resolvePrices(message, room.market.book, (name) => `/${name}`);
      const before = reader.pairs;
      hub.slots.read(slot, [...before, ...wanted.pairs.map((pair) => pair.code)]);
      try {
        reader.add(wanted, await requireTerms(room, connection.customerId, wanted));
      } catch (error) {
        hub.slots.read(slot, before);
        throw error;
      }
    }
    connection.post(acknowledgement(message, reader.pairs));
    hub.flush(connection);
  }
}

let connections = 0;

function parse(data: Buffer, isBinary: boolean): unknown {
  if (isBinary) throw new Problem('malformed_json', 'Send text messages.');
  if (!isUtf8(data)) throw new Problem('malformed_json', 'The message is not encoded as UTF-8.');
  try {
    return JSON.parse(data.toString('utf8'));
  } catch (cause) {
    throw new Problem('malformed_json', 'The message is not valid JSON.', { cause });
  }
}

/** So that a refusal can name the request that it is for; only where it has the form of one. */
function requestIdOf(parsed: unknown): string | undefined {
  const given =
    typeof parsed === 'object' && parsed !== null && 'requestId' in parsed ? parsed.requestId : undefined;
  return typeof given === 'string' && /^[\x21-\x7e]{1,64}$/.test(given) ? given : undefined;
}

/** What is read now, in answer to a message that was followed. */
function acknowledgement(message: PriceSocketCommand, pairs: readonly string[]): Frame {
  const event = message.action === 'subscribe' ? 'subscribed' : 'unsubscribed';
  return new Frame(event, JSON.stringify({ requestId: message.requestId ?? null, pairs }));
}
