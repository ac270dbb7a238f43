import * as prom from '@prometheus-io/client';

/** Its labels, and what it is now. */
export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];
type Read = () => Iterable<Sample>;
type ReadLater = () => Iterable<Sample> | Promise<Iterable<Sample>>;

interface Family {
  readonly registry: prom.Registry;
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

/**
 * What the service counts in plain numbers, which become a counter in Prometheus' form when somebody reads them.
 * @param read what was counted since the start; never less than before
 */
export function counter({ registry, name, help, labelNames }: Family, read: Read): void {
  if (!name.endsWith('_total')) throw new Error(`${name}: names of counters end in _total`);
  new prom.Counter({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect() {
      this.reset();
      for (const [labels, value] of read()) this.inc(labels, value);
    },
  });
}

/**
 * A level that goes up and down, read when somebody asks. What is no longer reported is no longer there.
 */
export function gauge({ registry, name, help, labelNames }: Family, read: ReadLater): void {
  new prom.Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    async collect() {
      const samples = [...(await read())];
      this.reset();
      for (const [labels, value] of samples) this.set(labels, value);
    },
  });
}

/** Counts by one label. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(key: string, more = 1): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + more);
  }

  *samples(label: string): Generator<Sample> {
    for (const [key, count] of this.#counts) yield [{ [label]: key }, count];
  }
}
