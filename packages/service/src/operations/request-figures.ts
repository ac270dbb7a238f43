import * as prom from '@prometheus-io/client';

/** Upper bounds of the buckets of times, in seconds. */
export const TIME_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5] as const;
const TIMES = {
  name: 'firmquote_http_request_seconds',
  help: 'Time from the request head to the end of the answer.',
  labelNames: ['method', 'route'],
  buckets: [...TIME_BOUNDS],
} as const;

/** Requests of one method to one route. */
interface Series {
  readonly method: string;
  readonly route: string;
  readonly byStatus: Map<number, number>;
  /** How many took as long as the bound of this place and longer than that of the one before; last, longer than all. */
  readonly byTime: number[];
  seconds: number;
}

/**
 * Counts answered requests and their times in plain numbers, which become Prometheus' form when somebody reads them: the
 * library looks its series up by labels for each value, which takes 1 µs of each request. Routes are few, paths are not used.
 */
export class RequestFigures {
  readonly #byMethod = new Map<string, Map<string, Series>>();

  constructor(registry: prom.Registry) {
    const all = () => this.#all();
    new prom.Counter({
      name: 'firmquote_http_requests_total',
      help: 'Answered requests.',
      labelNames: ['method', 'route', 'status'],
      registers: [registry],
      collect() {
        this.reset();
        for (const { method, route, byStatus } of all()) {
          for (const [status, count] of byStatus) this.inc({ method, route, status: String(status) }, count);
        }
      },
    });
    registry.registerMetric(new RequestTimes(all));
  }

  /** @param seconds undefined for what was refused before anything was done: it says nothing of how long work takes */
  answered(method: string, route: string, status: number, seconds: number | undefined): void {
    const series = this.#byMethod.get(method)?.get(route) ?? this.#begin(method, route);
    series.byStatus.set(status, (series.byStatus.get(status) ?? 0) + 1);
    if (seconds === undefined) return;
    let place = 0;
    while (place < TIME_BOUNDS.length && seconds > (TIME_BOUNDS[place] as number)) place++;
    series.byTime[place] = (series.byTime[place] as number) + 1;
    series.seconds += seconds;
  }

  #begin(method: string, route: string): Series {
    let byRoute = this.#byMethod.get(method);
    if (byRoute === undefined) {
      byRoute = new Map();
      this.#byMethod.set(method, byRoute);
    }
    const byTime = new Array<number>(TIME_BOUNDS.length + 1).fill(0);
    const series: Series = { method, route, byStatus: new Map(), byTime, seconds: 0 };
    byRoute.set(route, series);
    return series;
  }

  *#all(): Generator<Series> {
    for (const byRoute of this.#byMethod.values()) yield* byRoute.values();
  }
}

/** A histogram of the library as far as its registry is concerned; what it shows is counted elsewhere. */
class RequestTimes extends prom.Histogram<'method' | 'route'> {
  readonly #all: () => Iterable<Series>;

  constructor(all: () => Iterable<Series>) {
    super({ ...TIMES, labelNames: [...TIMES.labelNames], buckets: [...TIMES.buckets], registers: [] });
    this.#all = all;
  }

  /** What the registry writes as text, and `get` answers. */
  async getForPromString() {
    const { name, help } = TIMES;
    const values: { metricName: string; labels: object; sharedLabels: object; value: number }[] = [];
    for (const { method, route, byTime, seconds } of this.#all()) {
      const sharedLabels = { method, route };
      let count = 0;
      for (const [place, taken] of byTime.entries()) {
        count += taken;
        const le = TIME_BOUNDS[place] ?? '+Inf';
        values.push({ metricName: `${name}_bucket`, labels: { le }, sharedLabels, value: count });
      }
      values.push({ metricName: `${name}_sum`, labels: {}, sharedLabels, value: seconds });
      values.push({ metricName: `${name}_count`, labels: {}, sharedLabels, value: count });
    }
    return { name, help, type: 'histogram', values, aggregator: 'sum' };
  }
}
