import { join } from 'node:path';
import type { Accounts, ByokTerms } from '#accounts';
import { type Stores, loadSettings, openStores } from '#app';
import type { Clock, PicoUsd, ResolveHost } from '#base';
import type { Catalogue } from '#catalogue';
import { type HttpServer, type HttpServerOptions, createHttpServer } from '#http';
import type { LogRow } from '#logs';
import { createProcessMemory } from '#pipeline';
import type { HealthRegistry } from '#routing';
import type { Database, SocketConnection } from '#storage';
import { openPatiently } from './open-patiently.ts';
import { type Log, createTelemetry } from '#telemetry';
import type { Videos } from '#videos';
import type { FeedReport } from '../../src/app/feed/follow-feed.ts';
import { composePorts } from '../../src/app/lifecycle/compose-ports.ts';
import { composeVideos } from '../../src/app/lifecycle/compose-videos.ts';
import { keepPrices } from '../../src/app/lifecycle/configuration/price-versions.ts';
import {
  type LiveConfiguration,
  createLiveConfiguration,
} from '../../src/app/lifecycle/configuration/live-configuration.ts';
import { createLiveIssuer } from '../../src/app/lifecycle/configuration/live-issuer.ts';
import { type DatabaseLine, openDatabaseLine } from './database-line.ts';
import { type GatewayCommands, createCommands } from './gateway-commands.ts';
import { TEST_HOSTS } from './test-hosts.ts';
import { close, listen } from './listening.ts';
import { IMPATIENT, createConfig } from './mock-providers.ts';
import { MovableClock } from './movable-clock.ts';
import { patiently } from './patiently.ts';
import { type MockUpstream, startMockUpstream } from './mock-upstream.ts';
import { PREDICTABLE } from './process-environment.ts';
import { getSettledCatalogue } from './settled-catalogue.ts';
import { createRowReader } from './row-reader.ts';
import { createSharedDatabase } from './shared-server.ts';
import { createTemporaryFolder } from './temporary.ts';

export { MovableClock, keepPrices };

/** A key with its owner. */
export interface TestAccount {
  apiKey: string;
  keyId: string;
  projectId: string;
  organizationId: string;
}

interface AccountOptions {
  label?: string;
  /** The key's own limit. */
  limit?: PicoUsd;
  /** The organization is metered, with these credits. */
  credits?: PicoUsd;
  expiresAt?: number;
  cacheTtlSeconds?: number;
}

/**
 * A whole gateway in the test's process: a real PostgreSQL, real accounts, the real HTTP server on a real port. Only
 * the provider, the clock and the connection to the database are controlled by the test.
 */
export interface InProcessGateway extends AsyncDisposable, GatewayCommands {
  readonly url: string;
  /** A key without a limit, in an organization that is not metered. */
  readonly account: TestAccount;
  /** That key. */
  readonly apiKey: string;
  /** Its `sluice.yaml`. */
  readonly configFile: string;
  readonly dataDir: string;
  /** Its `DATABASE_URL`. */
  readonly databaseUrl: string;
  readonly accounts: Accounts;
  readonly catalogue: Catalogue;
  /** The configured rules for BYOK. */
  readonly terms: ByokTerms;
  readonly upstream: MockUpstream;
  readonly clock: MovableClock;
  readonly line: DatabaseLine;
  /** The same database without the proxy: to read rows and to cause damage. */
  readonly database: Database;
  /** The operator's log, one line each. */
  readonly logLines: readonly string[];
  /** What it has learnt of its providers. */
  readonly health: HealthRegistry;
  /** Runs work while it waits for no provider longer than `IMPATIENT`. */
  impatiently<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Sets whether the gateway is shutting down. */
  setDraining(isDraining: boolean): void;
  createAccount(options?: AccountOptions): Promise<TestAccount>;
  /** Sends a request with the account's key unless it has a credential (`''` sends none). */
  request(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The row of an answered request. */
  getRow(response: Response): Promise<LogRow>;
  findRow(requestId: string): Promise<LogRow | undefined>;
  /** The same, if the row may be late because the database was unavailable. */
  waitForRow(request: Response | string): Promise<LogRow>;
  /** Runs work while tables are missing: the database answers, and every statement on those tables fails. */
  withoutTable<Value>(table: string | readonly string[], work: () => Promise<Value>): Promise<Value>;
}

interface InProcessOptions {
  /** Replaces the mock providers of `sluice.yaml`; may name the address of the gateway's provider. */
  config?: string | ((upstream: MockUpstream) => string);
  /** What `sluice.yaml` has besides the mock providers. */
  extraConfig?: string;
  /** Its environment besides the database. */
  env?: Record<string, string>;
  /** Changes the catalogue that the configuration extends. */
  rebase?: (catalogue: Catalogue) => Catalogue;
  /** Resolves the hosts of custom providers. */
  resolveHost?: ResolveHost;
  /** Time limits for the request's headers and body. */
  limits?: NonNullable<HttpServerOptions['limits']>;
  maxConnections?: number;
  /** What `/metrics` prints. */
  metrics?: string;
  /** What is known of the catalogue feed. */
  feed?: FeedReport;
}

export async function openInProcess(options: InProcessOptions = {}): Promise<InProcessGateway> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(createTemporaryFolder('sluice-http-'));
  const upstream = opened.use(await startMockUpstream());
  const { connection } = opened.use(await createSharedDatabase());
  const line = opened.use(await openDatabaseLine(join(connection.host, `.s.PGSQL.${connection.port}`)));
  const databaseUrl = toUrl(connection, line.port);
  const config = folder.write('sluice.yaml', await composeConfig(upstream, options));
  const settings = await loadSettings({
    flags: { dataDir: folder.path, config },
    environment: { ...PREDICTABLE, ...options.env, DATABASE_URL: databaseUrl },
    workingDirectory: folder.path,
  });
  const logLines: string[] = [];
  const clock = new MovableClock();
  const log = createListLog(logLines);
  const open = () => openStores(settings, { role: 'gateway', log, windowClock: clock, hasUpkeep: false });
  const stores = opened.use(await patiently(open));
  const database = openPatiently({ connection, applicationName: 'test', maxConnections: 2 });
  opened.defer(() => database.close());
  Object.assign(settings.addresses, options.resolveHost && { resolveHost: options.resolveHost });
  const base = await getSettledCatalogue();
  const live = createLiveConfiguration(
    options.rebase?.(base) ?? base,
    settings,
    stores.accounts.openCredential,
  );
  opened.defer(() => live.close());
  const composed = compose({ stores, live, clock, log, options });
  await composed.videos.start();
  opened.defer(() => composed.videos.close());
  const url = await listen(composed.http);
  opened.defer(() => close(composed.http));
  await patiently(() => stores.database.query({ text: 'SELECT 1' }));
  const account = await createAccount(stores.accounts, {});
  const all = opened.move();
  return {
    url,
    account,
    apiKey: account.apiKey,
    configFile: config,
    dataDir: folder.path,
    databaseUrl,
    accounts: stores.accounts,
    catalogue: live.current.catalogue,
    terms: { ...settings, catalogue: live.current.catalogue },
    upstream,
    clock,
    line,
    database,
    logLines,
    health: composed.health,
    setDraining: composed.setDraining,
    impatiently: async (work) => {
      const patient = live.settings;
      live.replace({ ...patient, timeouts: { ...patient.timeouts, ...IMPATIENT } });
      return work().finally(() => live.replace(patient));
    },
    createAccount: (account = {}) => createAccount(stores.accounts, account),
    ...createClient(url, account.apiKey),
    ...createRowReader(database),
    ...createCommands(folder.path, { ...options.env, DATABASE_URL: databaseUrl }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function composeConfig(
  upstream: MockUpstream,
  { config, extraConfig = '' }: InProcessOptions,
): Promise<string> {
  if (typeof config === 'function') return config(upstream);
  return config ?? (await createConfig(upstream)) + extraConfig;
}

function toUrl({ user, password, database }: SocketConnection, port: number): string {
  return `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

interface Parts {
  stores: Stores;
  live: LiveConfiguration;
  clock: Clock;
  log: Log;
  options: InProcessOptions;
}

interface Composed {
  http: HttpServer;
  videos: Videos;
  health: HealthRegistry;
  setDraining(isDraining: boolean): void;
}

/** As the program composes it, with the clock, the hosts and the metrics of the test. */
function compose({ stores, live, clock, log, options }: Parts): Composed {
  const { limits = {}, maxConnections, metrics } = options;
  const { settings } = live;
  const telemetry = createTelemetry(log);
  const memory = createProcessMemory(clock);
  const onFault = (): void => undefined;
  const { health } = memory;
  const videos = composeVideos({ stores, live, clock, telemetry, health, exclusive: false, onFault });
  let isDraining = false;
  const ports = composePorts(
    {
      settings,
      log,
      stores,
      clock,
      issuer: createLiveIssuer(settings.oidc, log),
      feed: { report: options.feed },
    },
    {
      live,
      telemetry,
      metrics: undefined,
      memory,
      videos,
      countOpen: () => http.openRequests,
      isDraining: () => isDraining,
    },
  );
  const print = { contentType: 'text/plain', print: () => Promise.resolve(metrics ?? '') };
  const http = createHttpServer({
    telemetry,
    limits,
    ...(maxConnections !== undefined && { maxConnections }),
    ports: { ...ports, ...TEST_HOSTS, metrics: () => (metrics === undefined ? undefined : print) },
  });
  return { http, videos, health, setDraining: (next) => void (isDraining = next) };
}

async function createAccount({ directory }: Accounts, options: AccountOptions): Promise<TestAccount> {
  const { label = 'test key', limit, credits, expiresAt, cacheTtlSeconds } = options;
  const { id: organizationId } = await directory.createOrganization('Acme');
  const { id: projectId } = await directory.createProject({ organizationId, name: 'default' });
  if (credits !== undefined) await directory.addCredits({ organizationId, amount: credits });
  if (cacheTtlSeconds !== undefined) await directory.updateProject(projectId, { cacheTtlSeconds });
  const { secret, key } = await directory.createKey({
    projectId,
    label,
    ...(limit !== undefined && { limit }),
    ...(expiresAt !== undefined && { expiresAt }),
  });
  return { apiKey: secret, keyId: key.id, projectId, organizationId };
}

function createClient(url: string, apiKey: string): Pick<InProcessGateway, 'request' | 'post'> {
  const request: InProcessGateway['request'] = (path, init = {}) => {
    const headers = new Headers(init.headers);
    if (headers.get('authorization') === '') headers.delete('authorization');
    else if (!headers.has('authorization') && !headers.has('x-api-key'))
      headers.set('authorization', `Bearer ${apiKey}`);
    return fetch(`${url}${path}`, { ...init, headers });
  };
  return {
    request,
    post: (path, body, headers = {}) =>
      request(path, {
        method: 'POST',
        body: isText(body) ? body : JSON.stringify(body),
        headers: { 'content-type': 'application/json', ...headers },
      }),
  };
}

function createListLog(lines: string[]): Log {
  const write = (facts: object, message: string): void =>
    void lines.push(JSON.stringify({ ...facts, message }));
  return { debug: write, info: write, warn: write, error: write };
}

function isText(body: unknown): body is NonNullable<RequestInit['body']> {
  return typeof body === 'string' || body instanceof Uint8Array;
}
