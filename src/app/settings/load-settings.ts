import type { LogLevel } from '#telemetry';
import type { Environment, Settings, SettingsFlags, SettingsOrigin } from './settings.ts';
import type { SettingsUse } from './fill-variables.ts';
import type { ParsedFile } from './settings-file.ts';
import type { SettingsFile } from './settings-schema.ts';
import { STRICT_ADDRESSES } from '#base';
import { type Candidate, Chooser } from './choose.ts';
import { composeAlerts } from './compose-alerts.ts';
import { composeExports } from './compose-exports.ts';
import { chooseAuth } from './choose-auth.ts';
import { chooseCatalogue } from './choose-catalogue.ts';
import { chooseMetrics } from './choose-metrics.ts';
import { chooseProxies } from './choose-proxies.ts';
import { chooseTelemetry } from './choose-telemetry.ts';
import { chooseServer } from './choose-server.ts';
import { chooseVideos } from './choose-videos.ts';
import { composeProviders } from './compose-providers.ts';
import { findSettingsFile, readSettingsText } from './find-settings-file.ts';
import { parseSettingsFile } from './settings-file.ts';
import { chooseStores } from './store-settings.ts';
import { composeExperiments } from './experiments-schema.ts';
import { composeMirrors } from './mirrors-schema.ts';
import { readVariablesFromFiles } from './secret-file.ts';
import { SettingsError } from './settings-problem.ts';
import { getBaseCatalogue } from './base-catalogue.ts';
import { composePlans } from './compose-plans.ts';

const DEFAULT_DRAIN_SECONDS = 30;
const DEFAULT_TIMEOUTS = {
  connectMs: 5_000,
  firstEventMs: 180_000,
  idleMs: 120_000,
  totalMs: 1_800_000,
  afterLeavingMs: 60_000,
};
const DEFAULT_LOG_DAYS = 400;
/** A laptop's disk, and a server's. */
const DEFAULT_LOG_GB = { embedded: 10, external: 200 };
const BYTES_PER_GB = 1024 ** 3;
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

interface Sources {
  flags: SettingsFlags;
  environment: Environment;
  workingDirectory: string;
  content: SettingsFile;
  parsed: ParsedFile | undefined;
  /** The place of a value in the file. */
  locate(...path: string[]): string;
}

/** Reads the effective configuration. Throws SettingsError naming every invalid place. */
export async function loadSettings(origin: SettingsOrigin = {}, use: SettingsUse = 'run'): Promise<Settings> {
  const { flags = {}, workingDirectory = process.cwd() } = origin;
  const environment = readVariablesFromFiles(origin.environment ?? process.env);
  const file = findSettingsFile({ flags, environment, workingDirectory });
  const fileText = file && (await readSettingsText(file));
  const parsed =
    fileText === undefined || !file
      ? undefined
      : parseSettingsFile({ name: file.name, text: fileText }, environment, use);
  const sources: Sources = {
    flags,
    environment,
    workingDirectory,
    content: parsed?.content ?? {},
    parsed,
    locate: (...path) => parsed?.locate(path) ?? '',
  };
  const chooser = new Chooser();
  const stores = chooseStores(sources, chooser);
  const settings = {
    ...chooseServer(sources, chooser),
    trustedProxies: chooseProxies(sources.content, sources.locate, chooser),
    ...stores,
    ...chooseLimits(sources, chooser),
    addresses: chooseAddresses(sources, chooser),
    ...chooseAuth(sources, chooser),
    isStrictlyDurable: isStrictlyDurable(sources, chooser),
    hasLeases: chooseSwitch(sources, chooser, LEASES),
    routing: chooseRouting(sources, chooser),
    logLimits: chooseLogLimits(sources, chooser, stores.databaseUrl === undefined ? 'embedded' : 'external'),
    videos: chooseVideos(sources.content, sources.locate, chooser),
  };
  const links = chooseLinks(sources, settings, chooser);
  recordPlans(sources, chooser);
  const providers = composeProviders(await getBaseCatalogue(), { ...sources, file: file?.name }, chooser);
  if (chooser.problems.length > 0) throw new SettingsError(chooser.problems);
  return {
    ...settings,
    ...composePlans(sources.content.plans),
    ...links,
    ...providers,
    sources: chooser.sources,
    ...(file && { file: file.path }),
    ...(fileText !== undefined && { fileText }),
  };
}

type Links = Pick<Settings, 'metrics' | 'otlp' | 'exports' | 'alerts' | 'catalogue'>;

/** The operator's other systems: what is sent to them, and fetched. */
function chooseLinks(sources: Sources, { addresses }: Pick<Settings, 'addresses'>, chooser: Chooser): Links {
  const metrics = chooseMetrics(sources, chooser);
  const otlp = chooseTelemetry(sources, chooser);
  const alerts = chooseAlerts(sources, chooser);
  const catalogue = chooseCatalogue(sources, addresses, chooser);
  return {
    exports: chooseExports(sources, chooser),
    ...(alerts && { alerts }),
    ...(catalogue && { catalogue }),
    ...(metrics && { metrics }),
    ...(otlp && { otlp }),
  };
}

type Limits = Pick<Settings, 'drainMs' | 'openBodyBytes' | 'timeouts' | 'allowUnpriced' | 'logLevel'>;

function chooseLimits({ environment, content, locate }: Sources, chooser: Chooser): Limits {
  const fromFile = <K extends keyof SettingsFile>(name: K): Candidate<NonNullable<SettingsFile[K]>>[] => [
    { value: content[name] ?? undefined, source: locate(name) },
  ];
  const seconds = chooser.choose('drainSeconds', fromFile('drainSeconds'), DEFAULT_DRAIN_SECONDS);
  const timeout = (name: keyof typeof DEFAULT_TIMEOUTS): number =>
    chooser.choose(
      `timeouts.${name}`,
      [{ value: content.timeouts?.[name], source: locate('timeouts', name) }],
      DEFAULT_TIMEOUTS[name],
    );
  const level = { value: environment['SLUICE_LOG_LEVEL'], source: 'SLUICE_LOG_LEVEL' };
  const mebibytes = chooser.choose<number | undefined>('openBodiesMiB', fromFile('openBodiesMiB'), undefined);
  return {
    drainMs: seconds * 1_000,
    ...(mebibytes !== undefined && { openBodyBytes: mebibytes * 1024 * 1024 }),
    timeouts: {
      connectMs: timeout('connectMs'),
      firstEventMs: timeout('firstEventMs'),
      idleMs: timeout('idleMs'),
      totalMs: timeout('totalMs'),
      afterLeavingMs: timeout('afterLeavingMs'),
    },
    allowUnpriced: chooser.choose('allowUnpriced', fromFile('allowUnpriced'), false),
    logLevel: chooser.choose<LogLevel>(
      'logLevel',
      [chooser.read(level, readLogLevel, `one of ${LOG_LEVELS.join(', ')}`), ...fromFile('logLevel')],
      'info',
    ),
  };
}

function chooseAddresses({ content, locate }: Sources, chooser: Chooser): Settings['addresses'] {
  const { trustedHosts, ports } = content.customProviders ?? {};
  const from = <Value>(name: string, value: Value) => [{ value, source: locate('customProviders', name) }];
  return {
    trustedHosts: chooser.choose<readonly string[]>(
      'customProviders.trustedHosts',
      from('trustedHosts', trustedHosts),
      STRICT_ADDRESSES.trustedHosts,
    ),
    ports: chooser.choose<readonly number[]>(
      'customProviders.ports',
      from('ports', ports),
      STRICT_ADDRESSES.ports,
    ),
  };
}

function chooseAlerts({ content, locate }: Sources, chooser: Chooser): Settings['alerts'] {
  const place = locate('alerts');
  const found = content.alerts;
  for (const name of Object.keys(found ?? {})) chooser.sources.set(`alerts.${name}`, locate('alerts', name));
  return found && composeAlerts(found, place, chooser.problems);
}

function chooseExports({ content, locate }: Sources, chooser: Chooser): Settings['exports'] {
  const entries = chooser.choose('exports', [{ value: content.exports, source: locate('exports') }], []);
  return composeExports(entries, locate, chooser.problems);
}

/** Records the source of each part of the plans. */
function recordPlans({ content: { plans = {} }, locate }: Sources, chooser: Chooser): void {
  for (const tier of ['lite', 'pro', 'max'] as const)
    chooser.choose<unknown>(`plans.${tier}`, [{ value: plans[tier], source: locate('plans', tier) }], 0);
  for (const side of ['input', 'output'] as const) {
    const source = locate('plans', 'premiumFrom', side);
    chooser.choose<unknown>(`plans.premiumFrom.${side}`, [{ value: plans.premiumFrom?.[side], source }], 0);
  }
}

function isStrictlyDurable({ content, locate }: Sources, chooser: Chooser): boolean {
  const candidate = { value: content.ledger?.durability, source: locate('ledger', 'durability') };
  return chooser.choose('ledger.durability', [candidate], 'relaxed') === 'strict';
}

/** Something that is on unless the environment or the file switches it off. */
interface Switch {
  variable: string;
  path: [section: string, name: string];
  valueIn(content: SettingsFile): boolean | undefined;
}

const LEASES: Switch = {
  variable: 'SLUICE_LEASES',
  path: ['ledger', 'leases'],
  valueIn: ({ ledger }) => ledger?.leases,
};
const ADAPTIVE_ROUTING: Switch = {
  variable: 'SLUICE_ADAPTIVE_ROUTING',
  path: ['routing', 'adaptive'],
  valueIn: ({ routing }) => routing?.adaptive,
};

function chooseRouting(sources: Sources, chooser: Chooser): Settings['routing'] {
  const { content, locate } = sources;
  const { hedging, strategy, weights, experiments, mirrors } = content.routing ?? {};
  const isAdaptive = chooseSwitch(sources, chooser, ADAPTIVE_ROUTING);
  const hedges = [{ value: hedging, source: locate('routing', 'hedging') }];
  const strategies = [{ value: strategy, source: locate('routing', 'strategy') }];
  return {
    isAdaptive,
    hedges: chooser.choose('routing.hedging', hedges, isAdaptive) && isAdaptive,
    strategy: chooser.choose('routing.strategy', strategies, 'balanced'),
    ...(weights && Object.keys(weights).length > 0 && { weights: new Map(Object.entries(weights)) }),
    ...(experiments?.length && { experiments: composeExperiments(experiments, locate, chooser.problems) }),
    ...(mirrors?.length && { mirrors: composeMirrors(mirrors, locate, chooser.problems) }),
  };
}

function chooseSwitch(
  { content, locate, environment }: Sources,
  chooser: Chooser,
  { variable, path, valueIn }: Switch,
): boolean {
  const read = (text: string): boolean | undefined => ({ on: true, off: false })[text];
  const candidates = [
    chooser.read({ value: environment[variable], source: variable }, read, '`on` or `off`'),
    { value: valueIn(content), source: locate(...path) },
  ];
  return chooser.choose(path.join('.'), candidates, true);
}

function chooseLogLimits(
  { content, locate }: Sources,
  chooser: Chooser,
  place: keyof typeof DEFAULT_LOG_GB,
): Settings['logLimits'] {
  const choose = (name: 'maxAgeDays' | 'maxSizeGb', fallback: number): number =>
    chooser.choose(`logs.${name}`, [{ value: content.logs?.[name], source: locate('logs', name) }], fallback);
  return {
    maxAgeDays: choose('maxAgeDays', DEFAULT_LOG_DAYS),
    maxBytes: choose('maxSizeGb', DEFAULT_LOG_GB[place]) * BYTES_PER_GB,
  };
}

function readLogLevel(text: string): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === text);
}
