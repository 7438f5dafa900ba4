import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabaseLine } from '../database-line.ts';
import { type Asked, RouteClients } from '../route/route-clients.ts';
import { RouteProvider, textOf } from '../route/route-provider.ts';
import { MODEL, openReplicas } from './replicas.ts';

interface IsolationPlan {
  seed: number;
  seconds: number;
}

/** Requests of one replica in one phase. */
interface Part {
  requests: number;
  success: number;
  /** Of what succeeded, the share that the cheapest provider answered, and the median of the whole answer. */
  cheapest: number;
  p50Ms: number;
}

interface IsolationReport {
  /** Before, while one replica cannot reach its providers, and after. */
  connected: readonly Part[];
  disconnected: readonly Part[];
}

const CLIENTS = 6;
const FORMATS = ['chat', 'messages', 'chat'] as const;
/** What the failures of a phase may do to the next. */
const SETTLING_MS = 5_000;

/** Two gateways on one database; for a while one of them cannot reach its providers. */
export async function runIsolation({ seed, seconds }: IsolationPlan): Promise<IsolationReport> {
  await using opened = new AsyncDisposableStack();
  const providers: RouteProvider[] = [];
  for (const [place, format] of FORMATS.entries())
    providers.push(opened.use(await RouteProvider.start(`provider-${place}`, format, seed + place)));
  const lines = await Promise.all(providers.map(({ upstream }) => openDatabaseLine(upstream.port)));
  for (const line of lines) opened.use(line);
  const replicas = opened.use(await openReplicas());
  const near = await replicas.start(
    providers.map(({ id, format, upstream }) => ({ id, format, baseUrl: upstream.baseUrl })),
  );
  const far = await replicas.start(
    providers.map(({ id, format }, place) => ({
      id,
      format,
      baseUrl: `http://127.0.0.1:${lines[place]?.port}/v1`,
    })),
  );
  const texts = new Map(providers.map(({ id }) => [textOf(id), id]));
  const [connected, disconnected] = [near, far].map(
    ({ url }, at) =>
      new RouteClients({
        url,
        apiKey: near.apiKey,
        seed: seed + 10 * at,
        clients: CLIENTS,
        models: [MODEL],
        patienceMs: undefined,
        texts,
      }),
  ) as [RouteClients, RouteClients];
  const stop = new AbortController();
  const done = Promise.all(
    [connected, disconnected].map((clients) => clients.run(stop.signal, new AbortController().signal)),
  );
  const times = [performance.now()];
  await sleep(seconds * 1_000);
  times.push(performance.now());
  for (const line of lines) line.cut();
  await sleep(seconds * 1_000);
  times.push(performance.now());
  for (const line of lines) line.mend();
  await sleep(SETTLING_MS + seconds * 1_000);
  stop.abort();
  await done;
  const [healthy = 0, cut = 0, mended = 0] = times;
  const phases = [
    [healthy, cut - SETTLING_MS / 5],
    [cut, mended],
    [mended + SETTLING_MS, Infinity],
  ] as const;
  // One that spans two phases may be retried into the next.
  const split = ({ asked }: RouteClients): Part[] =>
    phases.map(([from, to]) =>
      measure(asked.filter(({ startedMs, endedMs = 0 }) => startedMs >= from && endedMs < to)),
    );
  return { connected: split(connected), disconnected: split(disconnected) };
}

function measure(asked: readonly Asked[]): Part {
  const whole = asked.filter(({ outcome }) => outcome === 'whole');
  const cheapest = whole.filter(({ providerId }) => providerId === 'provider-0').length;
  const times = whole
    .map(({ startedMs, endedMs = startedMs }) => endedMs - startedMs)
    .toSorted((a, b) => a - b);
  return {
    requests: asked.length,
    success: whole.length / Math.max(1, asked.length),
    cheapest: cheapest / Math.max(1, whole.length),
    p50Ms: times[Math.floor(times.length / 2)] ?? Number.NaN,
  };
}
