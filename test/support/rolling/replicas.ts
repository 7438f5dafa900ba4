import { randomBytes } from 'node:crypto';
import { startExternalServer } from '../external-server.ts';
import { type Gateway, startGateway } from '../gateway.ts';

/** Seconds for the balancer to notice that a gateway stops, as in Kubernetes, and for open answers to end. */
const READY_DELAY_S = 5;
const DRAIN_S = 120;
const SETTINGS = `server: { readyDelaySeconds: ${READY_DELAY_S} }\ndrainSeconds: ${DRAIN_S}\nlogLevel: error\n`;

/** A provider as the configuration names it, from the cheapest on. */
interface ReplicaProvider {
  id: string;
  format: string;
  baseUrl: string;
}

/** Gateways of one installation. */
export interface Replicas extends AsyncDisposable {
  /** The PostgreSQL of all of them. */
  readonly databaseUrl: string;
  start(providers: readonly ReplicaProvider[]): Promise<Gateway>;
  /** One with these lines about providers, of the present program by default. */
  startWith(providerLines: string, program?: string): Promise<Gateway>;
}

export const MODEL = 'route-model';

export async function openReplicas(): Promise<Replicas> {
  await using opened = new AsyncDisposableStack();
  const server = opened.use(await startExternalServer());
  const env = {
    DATABASE_URL: server.url,
    SLUICE_SECRET: randomBytes(32).toString('hex'),
    SLUICE_ADAPTIVE_ROUTING: 'on',
    SLUICE_LEASES: 'on',
  };
  const all = opened.move();
  const startWith = async (providerLines: string, program?: string): Promise<Gateway> =>
    all.use(
      await startGateway({
        config: SETTINGS + providerLines,
        env,
        ...(program !== undefined && { program }),
      }),
    );
  return {
    databaseUrl: server.url,
    start: (providers) => startWith(toProviderLines(providers)),
    startWith,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function toProviderLines(providers: readonly ReplicaProvider[]): string {
  return [
    'providers:',
    ...providers.map(
      ({ id, format, baseUrl }, place) =>
        `  - { id: ${id}, format: ${format}, baseUrl: "${baseUrl}", apiKey: mock-key, cancellation: all, models: [{ id: ${MODEL}, contextLength: 200000, maxOutput: 32000, price: { input: "${place + 1}", output: "${5 * (place + 1)}" } }] }`,
    ),
    '',
  ].join('\n');
}
