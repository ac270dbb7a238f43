import type { GatewayLine, ServiceLine } from '../../service/src/market/fix/protocol.ts';
import { JspurefixVenue } from './jspurefix-venue.ts';
import type { Venue } from './venue.ts';

const STATUS_MS = 1_000;

/** All sessions of the gateway, and which of them a line of the service is for. */
export class Gateway {
  readonly #write: (line: GatewayLine) => void;
  readonly #conflated: () => number;
  readonly #venues = new Map<string, Venue>();
  /** Sessions that are logging out; their files are theirs until then. */
  readonly #ending = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (line: GatewayLine) => void, conflated: () => number) {
    this.#write = write;
    this.#conflated = conflated;
  }

  take(line: Exclude<ServiceLine, { type: 'stop' }>): void {
    switch (line.type) {
      case 'start':
        this.#start(line);
        return;
      case 'end':
        this.#end(line.session);
        return;
      case 'resetSequence':
        this.#venues.get(line.session)?.resetSequence(line.numbers);
        return;
      case 'requestQuote': {
        const { session, query } = line;
        const venue = this.#venues.get(session);
        if (venue !== undefined) {
          venue.requestQuote(query);
          return;
        }
        this.#write({
          type: 'quoteRefused',
          session,
          id: query.id,
          reason: 'there is no such session',
        });
        return;
      }
      case 'order': {
        const { session, order } = line;
        const venue = this.#venues.get(session);
        if (venue !== undefined) {
          venue.placeOrder(order);
          return;
        }
        this.#write({
          type: 'orderRefused',
          session,
          id: order.id,
          reason: 'there is no such session',
        });
        return;
      }
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    for (const name of [...this.#venues.keys()]) this.#end(name);
    await Promise.all(this.#ending.values());
  }

  #end(name: string): void {
    const venue = this.#venues.get(name);
    if (venue === undefined) return;
    this.#venues.delete(name);
    const ended = venue.stop().finally(() => this.#ending.delete(name));
    this.#ending.set(name, ended);
  }

  #start({ folder, sessions }: Extract<ServiceLine, { type: 'start' }>): void {
    for (const settings of sessions) {
      if (this.#venues.has(settings.name)) continue;
      const venue = new JspurefixVenue({
        settings,
        folder,
        emit: (line) => this.#write(line),
        onStatus: (line) => this.#write({ ...line, conflated: this.#conflated() }),
      });
      this.#venues.set(settings.name, venue);
      const begin = (): void => {
        if (this.#venues.get(settings.name) === venue) venue.start();
      };
      const before = this.#ending.get(settings.name);
      if (before === undefined) begin();
      else void before.then(begin);
    }
    this.#timer ??= setInterval(() => this.#everySecond(), STATUS_MS);
  }

  #everySecond(): void {
    for (const venue of this.#venues.values()) {
      venue.tick();
      this.#write({ ...venue.status(), conflated: this.#conflated() });
    }
  }
}
