import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  METRICS,
  type LabelsOf,
  type MetricName,
  type MetricRow,
  type NameOf,
} from './metric-table.ts';

/** The metrics of the table, each with its series. */
export class Meters {
  readonly registry = new Registry();
  readonly #counters = new Map<MetricName, Counter>();
  readonly #gauges = new Map<MetricName, Gauge>();
  readonly #histograms = new Map<MetricName, Histogram>();

  constructor() {
    for (const name of Object.keys(METRICS) as MetricName[]) this.#make(name, METRICS[name]);
  }

  count<Name extends NameOf<'counter'>>(name: Name, labels: LabelsOf<Name>, more = 1): void {
    this.#counters.get(name)?.inc(labels, more);
  }

  observe<Name extends NameOf<'histogram'>>(
    name: Name,
    labels: LabelsOf<Name>,
    durationMs: number,
  ): void {
    this.#histograms.get(name)?.observe(labels, durationMs / 1000);
  }

  set<Name extends NameOf<'gauge'>>(name: Name, labels: LabelsOf<Name>, value: number): void {
    this.#gauges.get(name)?.set(labels, value);
  }

  /** Forgets the series of a gauge: of what is gone there is nothing to be told. */
  clear(name: NameOf<'gauge'>): void {
    const gauge = this.#gauges.get(name);
    // Resetting one without labels would say 0.
    if (METRICS[name].labels.length === 0) gauge?.remove();
    else gauge?.reset();
  }

  #make(name: MetricName, { type, help, labels, buckets }: MetricRow): void {
    const options = { name, help, labelNames: [...labels], registers: [this.registry] };
    switch (type) {
      case 'counter':
        this.#counters.set(name, new Counter(options));
        break;
      case 'gauge':
        this.#gauges.set(name, new Gauge(options));
        break;
      case 'histogram':
        this.#histograms.set(name, new Histogram({ ...options, buckets: [...(buckets ?? [])] }));
        break;
    }
  }
}
