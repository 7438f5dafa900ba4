import type { AnnouncementFacts } from '../doctor/announcement.ts';
import type { RunningGateway } from './gateway.ts';
import type { Settings, SettingsOrigin } from '../settings/settings.ts';
import { extendCatalogue } from '#catalogue';
import { createLog } from '#telemetry';
import { listProviders, toReachableUrl } from '../doctor/announcement.ts';
import { getBaseCatalogue } from '../settings/base-catalogue.ts';
import { findClaudeModel } from '../clients/claude-code.ts';
import { startGateway } from './gateway.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { version } from '../settings/package.ts';
import { isListening, probePort } from '../doctor/probe-port.ts';
import { findRunning, removeRunning, recordRunning } from '../doctor/running.ts';
import { SettingsError } from '../settings/settings-problem.ts';
import { suggestModel } from '../settings/suggest-model.ts';
import { watchSettings } from './configuration/watch-settings.ts';

/** A gateway as `sluice start` runs it. */
export interface LaunchedGateway {
  gateway: RunningGateway;
  facts: AnnouncementFacts;
  drainMs: number;
  stop(): Promise<void>;
}

interface LaunchOptions extends SettingsOrigin {
  interactive: boolean;
  /** Aborts what the start waits for. */
  signal?: AbortSignal;
}

/** Starts a gateway from the configuration and applies edits of its file. */
export async function launch(origin: LaunchOptions): Promise<LaunchedGateway> {
  const settings = await loadSettings(origin);
  // On a terminal, routine log lines must not hide the announcement.
  if (origin.interactive && settings.sources.get('logLevel') === 'default') settings.logLevel = 'warn';
  await refuseTakenPlace(settings);
  const log = createLog(settings.logLevel);
  const described = await describe(settings);
  const gateway = await startGateway(settings, log, origin.signal);
  // Must not throw from here on: the gateway would keep running with nothing to stop it.
  const watcher = watchSettings({ settings, origin, log, onChange: (next) => gateway.reconfigure(next) });
  const url = toReachableUrl(gateway.url);
  const { model, claudeModel } = described;
  const dashboardUrl = origin.interactive || gateway.firstRun ? await gateway.openDashboard(url) : undefined;
  recordRunning(gateway.dataDir, { url, model, ...(claudeModel !== undefined && { claudeModel }) });
  return {
    gateway,
    facts: {
      ...described,
      url,
      dataDir: gateway.dataDir,
      isDataDirFlag: settings.sources.get('dataDir') === '--data-dir',
      ...(dashboardUrl !== undefined && { dashboardUrl }),
      ...(gateway.metricsUrl !== undefined && { metricsUrl: toReachableUrl(gateway.metricsUrl) }),
      ...(gateway.firstRun && { firstRun: gateway.firstRun }),
    },
    drainMs: settings.drainMs,
    stop: async () => {
      watcher[Symbol.dispose]();
      removeRunning(gateway.dataDir);
      await gateway.stop();
    },
  };
}

async function refuseTakenPlace(settings: Settings): Promise<void> {
  const running = settings.databaseUrl === undefined ? findRunning(settings.dataDir) : undefined;
  // The note of a killed gateway may name a process id that is in use again; the database's lock decides then.
  if (running && running.pid !== process.pid && (await isListening(running.url))) {
    const message = `a gateway (process ${running.pid}) already runs on this data directory, at ${running.url}`;
    throw new SettingsError([{ place: settings.dataDir, message }]);
  }
  const probe = await probePort(settings);
  if (probe.free) return;
  const place = `${settings.host}:${settings.port}`;
  throw new SettingsError([
    { place, message: `cannot listen here: ${probe.reason}; choose another with --port or --host` },
  ]);
}

async function describe(
  settings: Settings,
): Promise<Pick<AnnouncementFacts, 'version' | 'providers' | 'model' | 'claudeModel'>> {
  const catalogue = extendCatalogue(await getBaseCatalogue(), settings.providers);
  const now = Date.now();
  const claudeModel = findClaudeModel(catalogue, settings, now);
  return {
    version,
    providers: listProviders(settings),
    model: suggestModel(catalogue, settings, now),
    ...(claudeModel !== undefined && { claudeModel }),
  };
}
