import { reasonOf } from '#base';
import type { Gateway } from '../gateway.ts';
import type { MockUpstream } from '../mock-upstream.ts';
import { until } from '../until.ts';
import type { Balancer } from './balancer.ts';
import type { Replicas } from './replicas.ts';

/** A program, and how a report names it; the present one without a path. */
export interface Version {
  name: string;
  program?: string;
}

interface FleetOptions {
  upstream: MockUpstream;
  balancer: Balancer;
  replicas: Replicas;
  providerLines: string;
}

/** The gateways behind one address, the oldest first. */
export class Fleet {
  /** Versions that refused to start on the database, and why. */
  readonly rejected: { name: string; reason: string }[] = [];
  /** The fewest streams at the provider when a gateway was asked to stop. */
  leastOpen = Infinity;
  /** When gateways were asked to stop, on the monotonic clock. */
  readonly stops: { version: Version; atMs: number }[] = [];
  readonly #options: FleetOptions;
  readonly #running: { version: Version; gateway: Gateway }[] = [];

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  get oldest(): Gateway {
    const [oldest] = this.#running;
    if (!oldest) throw new Error('no gateway is running');
    return oldest.gateway;
  }

  /** Starts one more; false if it refuses the database. */
  async add(version: Version): Promise<boolean> {
    const { name, program } = version;
    const { balancer, replicas, providerLines } = this.#options;
    let gateway: Gateway;
    try {
      gateway = await replicas.startWith(providerLines, program);
    } catch (error) {
      this.rejected.push({ name, reason: reasonOf(error) });
      return false;
    }
    balancer.add(gateway.url);
    await until('the gateway is ready', () => balancer.isReady(gateway.url));
    this.#running.push({ version, gateway });
    return true;
  }

  /** Stops the oldest, as an orchestrator does once the next one is ready. */
  async retireOldest(): Promise<void> {
    const [oldest] = this.#running;
    if (!oldest) throw new Error('no gateway is running');
    const { version, gateway } = oldest;
    const { truths } = this.#options.upstream;
    const open = truths.filter(({ stream, completed, aborted }) => stream && !completed && !aborted).length;
    this.leastOpen = Math.min(this.leastOpen, open);
    this.stops.push({ version, atMs: performance.now() });
    const code = await gateway.stop();
    if (code !== 0) throw new Error(`a gateway ended with ${code}: ${gateway.log}`);
    this.#options.balancer.remove(gateway.url);
    this.#running.shift();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map(({ gateway }) => gateway.stop()));
  }
}
