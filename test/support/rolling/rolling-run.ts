import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../until.ts';
import { type Asked, RouteClients } from '../route/route-clients.ts';
import { RouteProvider, textOf } from '../route/route-provider.ts';
import type { Gateway } from '../gateway.ts';
import { type Balancer, openBalancer } from './balancer.ts';
import { MODEL, openReplicas } from './replicas.ts';

interface RollingPlan {
  seed: number;
  restarts: number;
  streams: number;
  report(line: string): void;
}

interface RollingReport {
  requests: number;
  /** Neither a status of success nor an answer. */
  refused: number;
  cut: number;
  /** The fewest open streams when a gateway was asked to stop. */
  leastOpen: number;
}

const REPLICAS = 2;
/** A stream takes about three seconds. */
const SLOWNESS = 15;

/** Restarts one of two gateways after the other, while streams are open at both behind one address. */
export async function runRolling({ seed, restarts, streams, report }: RollingPlan): Promise<RollingReport> {
  await using opened = new AsyncDisposableStack();
  const provider = opened.use(await RouteProvider.start('steady', 'chat', seed));
  provider.behave(provider.answer({ slowness: SLOWNESS }));
  const replicas = opened.use(await openReplicas());
  const balancer = opened.use(await openBalancer());
  const { id, format, upstream } = provider;
  const start = async (): Promise<Gateway> => {
    const gateway = await replicas.start([{ id, format, baseUrl: upstream.baseUrl }]);
    balancer.add(gateway.url);
    await until('the gateway is ready', () => balancer.isReady(gateway.url));
    return gateway;
  };
  const running = [await start()];
  const { apiKey } = running[0] as Gateway;
  while (running.length < REPLICAS) running.push(await start());
  const clients = new RouteClients({
    url: balancer.url,
    apiKey,
    seed,
    clients: streams,
    models: [MODEL],
    patienceMs: undefined,
    streamShare: 1,
    texts: new Map([[textOf(id), id]]),
  });
  const stop = new AbortController();
  const done = clients.run(stop.signal, new AbortController().signal);
  const countOpen = (): number =>
    clients.asked.filter(({ firstMs, endedMs }) => firstMs !== undefined && endedMs === undefined).length;
  let leastOpen = Infinity;
  const stoppedMs: number[] = [];
  for (let number = 1; number <= restarts; number += 1) {
    await waitForStreams(() => countOpen() >= streams * OPEN_SHARE);
    leastOpen = Math.min(leastOpen, countOpen());
    stoppedMs.push(performance.now());
    await replace(running, balancer, start);
    const failed = clients.asked.filter(isFailed).length;
    report(`restart ${number}/${restarts}: ${clients.asked.length} requests, ${failed} failed`);
  }
  stop.abort();
  await done;
  const failed = clients.asked.filter(isFailed);
  for (const { outcome, message, startedMs, endedMs = Infinity } of failed.slice(0, MOST_DETAILS)) {
    const sinceMs = startedMs - (stoppedMs.findLast((atMs) => atMs < startedMs) ?? 0);
    report(
      `  sent ${sinceMs.toFixed(0)} ms after a stop, ${outcome} after ${(endedMs - startedMs).toFixed(0)} ms: ${message}`,
    );
  }
  if (balancer.unserved.length > 0)
    report(`  no gateway was ready for ${balancer.unserved.length} connections: ${balancer.unserved[0]}`);
  const cut = failed.filter(({ firstMs }) => firstMs !== undefined).length;
  return { requests: clients.asked.length, refused: failed.length - cut, cut, leastOpen };
}

const MOST_DETAILS = 8;
const STREAMS_MS = 300_000;
const LOOK_EVERY_MS = 10;
/** Between two streams of a client a little time passes. */
const OPEN_SHARE = 0.9;

/** A busy machine may take minutes. */
async function waitForStreams(areOpen: () => boolean): Promise<void> {
  for (const endMs = performance.now() + STREAMS_MS; !areOpen();) {
    if (performance.now() > endMs) throw new Error('the streams are not open in time');
    await sleep(LOOK_EVERY_MS);
  }
}

async function replace(running: Gateway[], balancer: Balancer, start: () => Promise<Gateway>): Promise<void> {
  const old = running.shift() as Gateway;
  const code = await old.stop();
  if (code !== 0) throw new Error(`a gateway ended with ${code}: ${old.log}`);
  balancer.remove(old.url);
  running.push(await start());
}

function isFailed({ outcome, endedMs }: Asked): boolean {
  return endedMs !== undefined && outcome !== 'whole';
}
