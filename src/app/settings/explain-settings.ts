import type { Catalogue } from '#catalogue';
import type { Settings, SettingsOrigin } from './settings.ts';
import type { SettingsProblem } from './settings-problem.ts';
import { STORE_LIMIT_MS } from '#accounts';
import { formatUsd } from '#base';
import { extendCatalogue } from '#catalogue';
import { getBaseCatalogue } from './base-catalogue.ts';
import { getSettingsPlace } from './file/find-settings-file.ts';
import { loadSettings } from './load-settings.ts';
import { isLoopback } from './loopback.ts';
import { SettingsError } from './settings-problem.ts';

const HOUR_MS = 3_600_000;

/** A provider as `sluice providers list` and `sluice config check` show it. */
interface ProviderSummary {
  id: string;
  name: string;
  format: string;
  baseUrl: string | null;
  /** The source of its key; never the key. */
  credential: string | null;
  /** The names of its credentials, where it has several. */
  credentials: string[];
  /** Whether it can be called now. */
  live: boolean;
  models: number;
}

export interface SettingsExplanation {
  ok: boolean;
  /** The file that was read, or where it would be. */
  file: { path: string; found: boolean };
  problems: readonly SettingsProblem[];
  settings: { name: string; value: string; source: string }[];
  providers: ProviderSummary[];
}

/** The effective configuration with the source of each part; it contains no secrets. */
export async function explainSettings(origin: SettingsOrigin): Promise<SettingsExplanation> {
  const { flags = {}, environment = process.env, workingDirectory = process.cwd() } = origin;
  const { path } = getSettingsPlace({ flags, environment, workingDirectory });
  try {
    const settings = await loadSettings(origin);
    const providers = (await summarizeProviders(settings)).filter(({ live, id }) => live && id !== 'local');
    const file = { path: settings.file ?? path, found: settings.file !== undefined };
    return { ok: true, file, problems: [], settings: listSettings(settings), providers };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return { ok: false, file: { path, found: true }, problems: error.problems, settings: [], providers: [] };
  }
}

/** Every provider of the catalogue and the configuration. */
export async function summarizeProviders(settings: Settings): Promise<ProviderSummary[]> {
  const catalogue = extendCatalogue(await getBaseCatalogue(), settings.providers);
  const counts = countModels(catalogue);
  const configured = new Set(settings.providers.map(({ id }) => id));
  return [...catalogue.providers.values()].map(({ id, name, format, baseUrl, env }) => ({
    id,
    name,
    format,
    baseUrl: baseUrl === undefined ? null : hidePassword(baseUrl),
    credential: settings.credentialSources.get(id) ?? null,
    credentials: (settings.credentialPools.get(id) ?? []).map((one) => one.name),
    live: settings.credentialSources.has(id) || configured.has(id) || env.length === 0,
    models: counts.get(id) ?? 0,
  }));
}

function countModels({ models }: Catalogue): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { mappings } of models.values()) {
    for (const { providerId, region } of mappings)
      if (region === undefined) counts.set(providerId, (counts.get(providerId) ?? 0) + 1);
  }
  return counts;
}

/** Every setting with its value and where it comes from. */
export function listSettings(settings: Settings): SettingsExplanation['settings'] {
  const values: Record<string, string> = {
    dataDir: settings.dataDir,
    'server.host': settings.host,
    'server.port': String(settings.port),
    'server.publicBind': String(settings.publicBind),
    'server.reusePort': String(settings.reusePort),
    'server.maxConnections': String(settings.maxConnections),
    'server.readyDelaySeconds': String(settings.readyDelayMs / 1_000),
    'server.hosts': describeHosts(settings),
    'server.corsOrigins': settings.corsOrigins.join(', ') || 'none',
    'server.trustedProxies': settings.trustedProxies.join(', ') || 'none',
    DATABASE_URL:
      settings.databaseUrl === undefined ? 'the embedded PostgreSQL' : hidePassword(settings.databaseUrl),
    SLUICE_DATABASE_WAIT_MS: String(settings.databaseWaitMs ?? STORE_LIMIT_MS),
    REDIS_URL: settings.redisUrl === undefined ? 'in process' : hidePassword(settings.redisUrl),
    SLUICE_SECRET: settings.secret === undefined ? 'the file "secret" of the data directory' : 'set',
    ...describeTimeouts(settings),
    drainSeconds: String(settings.drainMs / 1_000),
    openBodiesMiB:
      settings.openBodyBytes === undefined
        ? 'by Node’s heap limit'
        : String(settings.openBodyBytes / 1024 ** 2),
    allowUnpriced: String(settings.allowUnpriced),
    'customProviders.trustedHosts': settings.addresses.trustedHosts.join(', ') || 'none',
    'customProviders.ports': settings.addresses.ports.join(', '),
    ...describeSignIn(settings),
    ...describeMetrics(settings),
    ...describeOutlets(settings),
    ...describeFeed(settings),
    ...describeTelemetry(settings),
    ...describeRouting(settings),
    'ledger.leases': String(settings.hasLeases),
    'ledger.durability': settings.isStrictlyDurable ? 'strict' : 'relaxed',
    'logs.maxAgeDays': String(settings.logLimits.maxAgeDays),
    'logs.maxSizeGb': String(settings.logLimits.maxBytes / 1024 ** 3),
    'videos.pollMs':
      settings.videos.pollMs === undefined ? 'as the protocol says' : String(settings.videos.pollMs),
    'videos.expireHours': String(settings.videos.expireMs / HOUR_MS),
    'videos.linkHours': String(settings.videos.linkMs / HOUR_MS),
    ...describePlans(settings),
    logLevel: settings.logLevel,
  };
  return Object.entries(values).map(([name, value]) => ({
    name,
    value,
    source: settings.sources.get(name) ?? 'default',
  }));
}

function describeTimeouts({ timeouts }: Settings): Record<string, string> {
  return {
    'timeouts.connectMs': String(timeouts.connectMs),
    'timeouts.firstEventMs': String(timeouts.firstEventMs),
    'timeouts.idleMs': String(timeouts.idleMs),
    'timeouts.totalMs': String(timeouts.totalMs),
    'timeouts.afterLeavingMs': String(timeouts.afterLeavingMs),
  };
}

function describeHosts({ host, hosts }: Settings): string {
  if (hosts.length > 0) return hosts.join(', ');
  return isLoopback(host) ? 'this machine’s own names' : 'any';
}

function describeMetrics({ metrics }: Settings): Record<string, string> {
  return {
    'metrics.port': metrics?.port === undefined ? 'none' : String(metrics.port),
    'metrics.host': metrics?.host ?? '127.0.0.1',
    'metrics.adminKey': String(metrics?.isForAdminKeys ?? false),
  };
}

function describeOutlets({ alerts, exports }: Settings): Record<string, string> {
  return {
    'alerts.url': alerts ? new URL(alerts.url).host : 'none', // the path may be a secret
    ...(alerts && {
      'alerts.secret': 'set',
      'alerts.thresholds': alerts.thresholds.join(', ') || 'none',
      'alerts.forecast': String(alerts.forecast),
      'alerts.ledgerCheckHours': String(alerts.ledgerCheckHours),
      'alerts.sessionLossUsd': formatUsd(alerts.sessionLoss ?? 0n),
    }),
    exports: exports.map(({ name, type }) => `${name} (${type})`).join(', ') || 'none',
  };
}

function describeFeed({ catalogue }: Settings): Record<string, string> {
  if (!catalogue) return { 'catalogue.url': 'none: the built-in catalogue' };
  return {
    'catalogue.url': catalogue.url ?? 'none: npx sluice catalogue update FILE',
    'catalogue.publicKey': catalogue.publicKey,
    'catalogue.refreshHours': String(catalogue.refreshMs / HOUR_MS),
    'catalogue.noticeHours': String(catalogue.noticeMs / HOUR_MS),
  };
}

/** Without the secret. */
function describeSignIn({ oidc }: Settings): Record<string, string> {
  if (!oidc) return { 'auth.oidc.issuer': 'no sign-in by OpenID Connect' };
  return {
    'auth.oidc.issuer': oidc.issuer,
    'auth.oidc.name': oidc.name,
    'auth.oidc.clientId': oidc.clientId,
    'auth.oidc.clientSecret': oidc.clientSecret === undefined ? 'none: a public client' : 'set',
    'auth.oidc.redirectUrl': oidc.redirectUrl ?? 'under the name with which the dashboard is opened',
    'auth.oidc.scopes': oidc.scopes.join(', '),
    'auth.oidc.groupsClaim': oidc.groupsClaim,
    'auth.oidc.sessionHours': String(oidc.sessionMinutes / 60),
    'auth.oidc.access': oidc.access.map(describeRule).join('; '),
  };
}

/** `group platform → operator` */
function describeRule({
  role,
  organization,
  ...conditions
}: NonNullable<Settings['oidc']>['access'][number]) {
  const when = Object.entries(conditions).map((pair) => pair.join(' '));
  return `${when.join(' and ')} → ${role}${organization === undefined ? '' : ` of ${organization}`}`;
}

/** Header values are secrets. */
function describeTelemetry({ otlp }: Settings): Record<string, string> {
  if (!otlp) return { 'telemetry.otlp.endpoint': 'nothing is exported' };
  const { byParent, ratio } = otlp.rules;
  return {
    'telemetry.otlp.endpoint': [otlp.tracesUrl, otlp.metricsUrl]
      .filter((url) => url !== undefined)
      .join(', '),
    'telemetry.otlp.headers': Object.keys(otlp.headers).join(', ') || 'none',
    'telemetry.otlp.protocol': otlp.isJson ? 'http/json' : 'http/protobuf',
    'telemetry.otlp.sampler': `${ratio * 100} % of traces${byParent ? ', or as the caller decided' : ''}`,
    'telemetry.otlp.propagate': String(otlp.isPropagated),
    'telemetry.otlp.content': String(otlp.hasContent),
    'telemetry.otlp.serviceName': otlp.resource['service.name'] ?? '',
  };
}

function describeRouting({ routing }: Settings): Record<string, string> {
  return {
    'routing.adaptive': String(routing.isAdaptive),
    'routing.strategy': routing.strategy,
    'routing.weights': routing.weights ? [...routing.weights.keys()].join(', ') : 'none',
    'routing.hedging': String(routing.hedges),
    'routing.experiments': routing.experiments?.map(({ name }) => name).join(', ') ?? 'none',
    'routing.mirrors': routing.mirrors?.map(({ name }) => name).join(', ') ?? 'none',
  };
}

function describePlans({ plans, premium }: Settings): Record<string, string> {
  const tiers = Object.entries(plans).map(([tier, { price, credits, premiumWeekly }]) => [
    `plans.${tier}`,
    `${formatUsd(price)} USD a month, ${formatUsd(credits)} credits, ${formatUsd(premiumWeekly)} premium a week`,
  ]);
  const toPerMillion = (price: bigint): string => formatUsd(price * 1_000_000n);
  return {
    ...(Object.fromEntries(tiers) as Record<string, string>),
    'plans.premiumFrom.input': toPerMillion(premium.input),
    'plans.premiumFrom.output': toPerMillion(premium.output),
  };
}

/** Both match up to the last `@`, because passwords may contain one; with a `/` in a password an address is not valid. */
const LOGIN = /\/\/([^/?#]*)@/;
const LOGIN_OF_NONE = /\/\/(.*)@/s;

/** An address without its password. */
export function hidePassword(address: string): string {
  return address
    .replace(
      URL.canParse(address) ? LOGIN : LOGIN_OF_NONE,
      (_, login: string) => `//${login.split(':', 1)[0] ?? ''}@`,
    )
    .replace(/\?.*$/s, '');
}
