import type { LogLevel } from '#telemetry';
import type { Settings, SettingsOrigin } from './settings.ts';
import type { SettingsUse } from './file/fill-variables.ts';
import type { SettingsFile } from './schemas/settings-schema.ts';
import { STRICT_ADDRESSES } from '#base';
import { type SettingCandidate, Chooser, readVariable } from './sections/choose.ts';
import { SettingsSection, type SettingsSources } from './sections/section.ts';
import { readAlertSettings } from './sections/read-alert-settings.ts';
import { readExportSettings } from './sections/read-export-settings.ts';
import { chooseAuth } from './sections/choose-auth.ts';
import { chooseCatalogue } from './sections/choose-catalogue.ts';
import { chooseMetrics } from './sections/choose-metrics.ts';
import { chooseTelemetry } from './sections/choose-telemetry.ts';
import { chooseServer } from './sections/choose-server.ts';
import { readProviderSettings } from './sections/read-provider-settings.ts';
import { findSettingsFile, readSettingsText } from './file/find-settings-file.ts';
import { parseSettingsFile } from './file/settings-file.ts';
import { chooseStores } from './store-settings.ts';
import { readExperimentSettings } from './schemas/experiments-schema.ts';
import { readMirrorSettings } from './schemas/mirrors-schema.ts';
import { readVariablesFromFiles } from './file/secret-file.ts';
import { SettingsError } from './settings-problem.ts';
import { getBaseCatalogue } from './base-catalogue.ts';
import { readPlanSettings } from './sections/read-plan-settings.ts';

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
const HOUR_MS = 3_600_000;
const DEFAULT_VIDEO_HOURS = 24;
const BYTES_PER_GB = 1024 ** 3;
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;

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
  const chooser = new Chooser();
  const sources: SettingsSources = {
    flags,
    environment,
    content: parsed?.content ?? {},
    locate: (...path) => parsed?.locate(path) ?? '',
    chooser,
  };
  const stores = chooseStores({ flags, environment, workingDirectory }, chooser);
  const settings = {
    ...chooseServer(sources),
    ...stores,
    ...chooseLimits(sources),
    addresses: chooseAddresses(sources),
    ...chooseAuth(sources),
    ...chooseLedger(sources),
    routing: chooseRouting(sources),
    logLimits: chooseLogLimits(sources, stores.databaseUrl === undefined ? 'embedded' : 'external'),
    videos: chooseVideos(sources),
  };
  const links = chooseLinks(sources, settings);
  recordPlans(sources);
  const source = { environment, workingDirectory, parsed, file: file?.name };
  const providers = readProviderSettings(await getBaseCatalogue(), source, chooser);
  if (chooser.problems.length > 0) throw new SettingsError(chooser.problems);
  return {
    ...settings,
    ...readPlanSettings(sources.content.plans),
    ...links,
    ...providers,
    sources: chooser.sources,
    ...(file && { file: file.path }),
    ...(fileText !== undefined && { fileText }),
  };
}

type Links = Pick<Settings, 'metrics' | 'otlp' | 'exports' | 'alerts' | 'catalogue'>;

/** The operator's other systems: what is sent to them, and fetched. */
function chooseLinks(sources: SettingsSources, { addresses }: Pick<Settings, 'addresses'>): Links {
  const metrics = chooseMetrics(sources);
  const otlp = chooseTelemetry(sources);
  const alerts = chooseAlerts(sources);
  const catalogue = chooseCatalogue(sources, addresses);
  return {
    exports: chooseExports(sources),
    ...(alerts && { alerts }),
    ...(catalogue && { catalogue }),
    ...(metrics && { metrics }),
    ...(otlp && { otlp }),
  };
}

type Limits = Pick<Settings, 'drainMs' | 'openBodyBytes' | 'timeouts' | 'allowUnpriced' | 'logLevel'>;

function chooseLimits(sources: SettingsSources): Limits {
  const { environment, content, locate, chooser } = sources;
  const fromFile = <K extends keyof SettingsFile>(
    name: K,
  ): SettingCandidate<NonNullable<SettingsFile[K]>>[] => [
    { value: content[name] ?? undefined, source: locate(name) },
  ];
  const seconds = chooser.choose('drainSeconds', fromFile('drainSeconds'), DEFAULT_DRAIN_SECONDS);
  const timeouts = new SettingsSection(sources, 'timeouts', content.timeouts);
  const timeout = (name: keyof typeof DEFAULT_TIMEOUTS): number =>
    timeouts.choose(name, DEFAULT_TIMEOUTS[name]);
  const level = readVariable(environment, 'SLUICE_LOG_LEVEL');
  const mebibytes = chooser.find('openBodiesMiB', fromFile('openBodiesMiB'));
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

function chooseAddresses(sources: SettingsSources): Settings['addresses'] {
  const section = new SettingsSection(sources, 'customProviders', sources.content.customProviders);
  return {
    trustedHosts: section.choose('trustedHosts', STRICT_ADDRESSES.trustedHosts),
    ports: section.choose('ports', STRICT_ADDRESSES.ports),
  };
}

function chooseAlerts({ content, locate, chooser }: SettingsSources): Settings['alerts'] {
  const place = locate('alerts');
  const found = content.alerts;
  for (const name of Object.keys(found ?? {})) chooser.sources.set(`alerts.${name}`, locate('alerts', name));
  return found && readAlertSettings(found, place, chooser.problems);
}

function chooseExports({ content, locate, chooser }: SettingsSources): Settings['exports'] {
  const entries = chooser.choose('exports', [{ value: content.exports, source: locate('exports') }], []);
  return readExportSettings(entries, locate, chooser.problems);
}

/** Records the source of each part of the plans. */
function recordPlans({ content: { plans = {} }, locate, chooser }: SettingsSources): void {
  for (const tier of ['lite', 'pro', 'max'] as const)
    chooser.choose<unknown>(`plans.${tier}`, [{ value: plans[tier], source: locate('plans', tier) }], 0);
  for (const side of ['input', 'output'] as const) {
    const source = locate('plans', 'premiumFrom', side);
    chooser.choose<unknown>(`plans.premiumFrom.${side}`, [{ value: plans.premiumFrom?.[side], source }], 0);
  }
}

function chooseLedger(sources: SettingsSources): Pick<Settings, 'isStrictlyDurable' | 'hasLeases'> {
  const ledger = new SettingsSection(sources, 'ledger', sources.content.ledger);
  return {
    isStrictlyDurable: ledger.choose('durability', 'relaxed') === 'strict',
    hasLeases: ledger.choose('leases', true, [readSwitch(sources, 'SLUICE_LEASES')]),
  };
}

function chooseRouting(sources: SettingsSources): Settings['routing'] {
  const { content, locate, chooser } = sources;
  const { weights, experiments, mirrors } = content.routing ?? {};
  const routing = new SettingsSection(sources, 'routing', content.routing);
  const isAdaptive = routing.choose('adaptive', true, [readSwitch(sources, 'SLUICE_ADAPTIVE_ROUTING')]);
  return {
    isAdaptive,
    hedges: routing.choose('hedging', isAdaptive) && isAdaptive,
    strategy: routing.choose('strategy', 'balanced'),
    ...(weights && Object.keys(weights).length > 0 && { weights: new Map(Object.entries(weights)) }),
    ...(experiments?.length && {
      experiments: readExperimentSettings(experiments, locate, chooser.problems),
    }),
    ...(mirrors?.length && { mirrors: readMirrorSettings(mirrors, locate, chooser.problems) }),
  };
}

function readSwitch({ environment, chooser }: SettingsSources, variable: string): SettingCandidate<boolean> {
  const read = (text: string): boolean | undefined => ({ on: true, off: false })[text];
  return chooser.read(readVariable(environment, variable), read, '`on` or `off`');
}

function chooseLogLimits(
  sources: SettingsSources,
  place: keyof typeof DEFAULT_LOG_GB,
): Settings['logLimits'] {
  const logs = new SettingsSection(sources, 'logs', sources.content.logs);
  return {
    maxAgeDays: logs.choose('maxAgeDays', DEFAULT_LOG_DAYS),
    maxBytes: logs.choose('maxSizeGb', DEFAULT_LOG_GB[place]) * BYTES_PER_GB,
  };
}

function chooseVideos(sources: SettingsSources): Settings['videos'] {
  const videos = new SettingsSection(sources, 'videos', sources.content.videos);
  const pollMs = videos.find('pollMs');
  return {
    expireMs: videos.choose('expireHours', DEFAULT_VIDEO_HOURS) * HOUR_MS,
    linkMs: videos.choose('linkHours', DEFAULT_VIDEO_HOURS) * HOUR_MS,
    ...(pollMs !== undefined && { pollMs }),
  };
}

function readLogLevel(text: string): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === text);
}
