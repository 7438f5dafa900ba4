import type { Finding } from './finding.ts';
import type { Settings, SettingsOrigin } from '../settings/settings.ts';
import { extendCatalogue } from '#catalogue';
import { getBaseCatalogue } from '../settings/base-catalogue.ts';
import { checkClock, checkDescriptors, checkDirectory, checkNode, checkSpace } from './diagnose-machine.ts';
import { checkDatabase, checkRedis } from './diagnose-stores.ts';
import { type JournalState, checkJournal } from './journal.ts';
import { listProviders } from './announcement.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { probePort } from './probe-port.ts';
import { findRunning } from './running.ts';
import { loadStoreSettings } from '../settings/store-settings.ts';
import { SettingsError } from '../settings/settings-problem.ts';

/** Checks everything a gateway needs, independently. Changes nothing, but starts and stops the embedded database. */
export async function diagnose(origin: SettingsOrigin): Promise<Finding[]> {
  const findings = [checkNode()];
  const { settings, finding } = await checkConfiguration(origin);
  findings.push(finding);
  const stores = settings ?? findStoreSettings(origin);
  if (stores) {
    const directory = checkDirectory(stores.dataDir);
    findings.push(directory, checkSpace(stores.dataDir));
    let journal: JournalState | undefined;
    if (stores.databaseUrl !== undefined || directory.state !== 'problem') {
      const checked = await checkDatabase(stores);
      findings.push(checked.finding);
      if (checked.locks) findings.push(checked.locks);
      if (checked.feed) findings.push(checked.feed);
      if (checked.serverNow !== undefined) findings.push(checkClock(checked.serverNow));
      journal = checked.journal;
    }
    findings.push(await checkJournal(stores, journal), await checkRedis(stores));
  }
  if (settings) {
    findings.push(checkDescriptors(settings.maxConnections));
    findings.push(await checkPort(settings), await checkProviders(settings));
  }
  return findings;
}

async function checkConfiguration(
  origin: SettingsOrigin,
): Promise<{ settings?: Settings; finding: Finding }> {
  const name = 'configuration';
  try {
    const settings = await loadSettings(origin);
    const message =
      settings.file === undefined
        ? 'no sluice.yaml: flags, environment and defaults'
        : `${settings.file} is valid`;
    return { settings, finding: { name, state: 'ok', message } };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const [first, ...others] = error.problems;
    const more = others.length === 0 ? '' : ` (and ${others.length} more: npx sluice config check)`;
    return {
      finding: { name, state: 'problem', message: `${first?.place ?? ''}: ${first?.message ?? ''}${more}` },
    };
  }
}

function findStoreSettings(origin: SettingsOrigin): ReturnType<typeof loadStoreSettings> | undefined {
  try {
    return loadStoreSettings(origin);
  } catch {
    return undefined; // the configuration's own finding has the reason
  }
}

async function checkPort({ host, port, reusePort, dataDir }: Settings): Promise<Finding> {
  const name = 'port';
  const running = findRunning(dataDir);
  if (running)
    return { name, state: 'ok', message: `a gateway (process ${running.pid}) listens on ${running.url}` };
  const probe = await probePort({ host, port, reusePort });
  if (probe.free) return { name, state: 'ok', message: `${host}:${port} is free` };
  return {
    name,
    state: 'problem',
    message: `cannot listen on ${host}:${port}: ${probe.reason}; choose another with --port or --host`,
  };
}

async function checkProviders(settings: Settings): Promise<Finding> {
  const name = 'providers';
  const catalogue = extendCatalogue(await getBaseCatalogue(), settings.providers);
  const keyless = settings.providers.filter(({ id }) => {
    return !settings.credentialSources.has(id) && (catalogue.providers.get(id)?.env.length ?? 0) > 0;
  });
  if (keyless.length > 0) {
    const ids = keyless.map(({ id }) => id).join(', ');
    return {
      name,
      state: 'warning',
      message: `no credential for ${ids}; give each an apiKey or set its variable`,
    };
  }
  const known = listProviders(settings);
  if (known.length > 0)
    return { name, state: 'ok', message: `${known.join(', ')}; try them with npx sluice providers test` };
  return {
    name,
    state: 'warning',
    message: 'none is set up, only local/echo answers; set OPENAI_API_KEY, ANTHROPIC_API_KEY, …',
  };
}
