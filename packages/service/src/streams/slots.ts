import type { HeldElsewhere } from '../platform/neighbours.ts';
import { Problem } from '../problems/problem.ts';

/** docs/interface.md#rate-limits. */
export const STREAMS_PER_CUSTOMER_MAX = 5; // limit: Price streams of a customer
export const PAIRS_PER_CUSTOMER_MAX = 40; // limit: Pairs of a customer in all its streams
/** In one process: what its memory and its file descriptors are good for. */
export const STREAMS_MAX = 10_000; // limit: Price streams of a process

/** The place of one stream, from before it is opened until it is closed. */
export interface Slot {
  readonly customerId: string;
  /** Pairs that it reads. */
  readonly pairs: ReadonlySet<string>;
}

/** Streams of a customer in another process of this service. */
interface SlotsElsewhere {
  readonly open: number;
  readonly pairs: readonly string[];
}

interface HeldSlot extends Slot {
  pairs: ReadonlySet<string>;
}

/** Streams and pairs that each customer has taken, whatever they come over. */
export class Slots {
  readonly #ofCustomer = new Map<string, Set<HeldSlot>>();
  readonly #elsewhere: HeldElsewhere<SlotsElsewhere> | undefined;
  #count = 0;
  isClosed = false;

  constructor(elsewhere?: HeldElsewhere<SlotsElsewhere>) {
    this.#elsewhere = elsewhere;
  }

  /** @throws Problem maintenance, too_many_streams, overloaded when there is no room for one more */
  check(customerId: string): void {
    if (this.isClosed) {
      throw new Problem('maintenance', 'The service is stopping.', { headers: { 'Retry-After': '5' } });
    }
    let open = this.#ofCustomer.get(customerId)?.size ?? 0;
    for (const others of this.#elsewhere?.of(customerId) ?? []) open += others.open;
    if (open >= STREAMS_PER_CUSTOMER_MAX) {
      throw new Problem('too_many_streams', `The customer already has ${open} streams open.`, {
        members: { limit: STREAMS_PER_CUSTOMER_MAX, open },
        headers: { 'Retry-After': '5' },
      });
    }
    if (this.#count >= STREAMS_MAX) {
      throw new Problem('overloaded', 'This service has as many streams open as it can serve.', {
        headers: { 'Retry-After': '30' },
      });
    }
  }

  /** @throws Problem as check, and too_many_pairs */
  take(customerId: string, pairs: Iterable<string>): Slot {
    this.check(customerId);
    const slot: HeldSlot = { customerId, pairs: new Set() };
    const slots = this.#ofCustomer.get(customerId) ?? new Set<HeldSlot>();
    slots.add(slot);
    this.#ofCustomer.set(customerId, slots);
    this.#count++;
    try {
      this.read(slot, pairs);
    } catch (error) {
      this.release(slot);
      throw error;
    }
    return slot;
  }

  /**
   * Sets what the slot's stream reads. A pair that two streams read counts once.
   * @throws Problem too_many_pairs; then the slot is as it was
   */
  read(slot: Slot, pairs: Iterable<string>): void {
    const slots = this.#ofCustomer.get(slot.customerId);
    const held = [...(slots ?? [])].find((one) => one === slot);
    // Given back: its stream ended while it was asked for.
    if (slots === undefined || held === undefined) return;
    const wanted = new Set(pairs);
    const all = new Set(wanted);
    for (const other of slots) if (other !== held) for (const pair of other.pairs) all.add(pair);
    for (const { pairs: read } of this.#elsewhere?.of(slot.customerId) ?? [])
      for (const pair of read) all.add(pair);
    if (all.size > PAIRS_PER_CUSTOMER_MAX) {
      throw new Problem(
        'too_many_pairs',
        `All streams of the customer together would read ${all.size} pairs.`,
        {
          members: { limit: PAIRS_PER_CUSTOMER_MAX, wanted: all.size },
        },
      );
    }
    held.pairs = wanted;
    this.#notify(slot.customerId, slots);
  }

  release(slot: Slot): void {
    const slots = this.#ofCustomer.get(slot.customerId);
    if (slots === undefined) return;
    for (const held of slots) {
      if (held !== slot) continue;
      slots.delete(held);
      this.#count--;
    }
    if (slots.size === 0) this.#ofCustomer.delete(slot.customerId);
    this.#notify(slot.customerId, slots);
  }

  #notify(customerId: string, slots: ReadonlySet<Slot>): void {
    const pairs = new Set([...slots].flatMap((slot) => [...slot.pairs]));
    this.#elsewhere?.set(customerId, slots.size === 0 ? undefined : { open: slots.size, pairs: [...pairs] });
  }
}
