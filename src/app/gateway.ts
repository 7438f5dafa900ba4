import type { Server } from 'node:http';
import type { Log } from '#telemetry';
import type { FirstRun } from './first-run.ts';
import type { Settings } from './settings.ts';
import type { Stores } from './stores.ts';
import { once } from 'node:events';
import { systemClock } from '#base';
import { ResponseCache } from '#cache';
import { loadCatalogue } from '#catalogue';
import { ENDPOINTS, createHealthProbe, createHttpServer, createOpenapi } from '#http';
import { HealthBook } from '#pipeline';
import { createTelemetry } from '#telemetry';
import { prepareFirstRun } from './first-run.ts';
import { createLive } from './live.ts';
import { catalogueDirectory, version } from './package.ts';
import { openStores } from './stores.ts';

export interface RunningGateway {
  url: string;
  /** The keys made on the very first start; shown once. */
  firstRun?: FirstRun;
  organizationId: string;
  projectId: string;
  dataDir: string;
  /** Requests under way. */
  readonly openRequests: number;
  /** Takes a changed configuration. */
  reconfigure(settings: Settings): void;
  /** Drains and stops: readiness fails, open answers are finished up to the limit, stores close. */
  stop(): Promise<void>;
}

/** Composes the rooms into a running gateway. */
export async function startGateway(settings: Settings, log: Log): Promise<RunningGateway> {
  const [stores, catalogue] = await Promise.all([
    openStores(settings, { role: 'gateway', log }),
    loadCatalogue(catalogueDirectory),
  ]);
  const { accounts, keyValue, database } = stores;
  const live = createLive(catalogue, settings);
  const telemetry = createTelemetry(log);
  let isDraining = false;
  const openapi = JSON.stringify(createOpenapi(ENDPOINTS, version));
  const http = createHttpServer({
    telemetry,
    ports: {
      accounts,
      catalogue: () => live.current.catalogue,
      clock: systemClock,
      generation: {
        accounts,
        cache: new ResponseCache(keyValue),
        clock: systemClock,
        health: new HealthBook(),
        telemetry,
        live: () => live.current,
      },
      health: createHealthProbe({ redis: () => keyValue.ping(), database: () => database.ping(2_000) }, systemClock),
      isDraining: () => isDraining,
      openapi: () => openapi,
      version,
    },
  });
  const account = await prepareFirstRun(accounts.directory);
  const url = await listen(http.server, settings);
  return {
    url,
    ...account,
    dataDir: settings.dataDir,
    get openRequests() {
      return http.openRequests;
    },
    reconfigure: (next) => live.replace(next),
    stop: async () => {
      isDraining = true;
      await drain(http.server, settings.drainMs);
      await http.idle();
      await live.close();
      await closeStores(stores);
    },
  };
}

async function closeStores(stores: Stores): Promise<void> {
  await stores[Symbol.asyncDispose]();
}

async function listen(server: Server, { host, port }: Settings): Promise<string> {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
}

async function drain(server: Server, limitMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const limit = setTimeout(() => server.closeAllConnections(), limitMs);
  await closed;
  clearTimeout(limit);
}
