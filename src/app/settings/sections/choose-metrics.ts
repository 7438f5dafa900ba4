import type { MetricsSettings } from '../settings.ts';
import { readPort, readVariable } from './choose.ts';
import { SettingsSection, type SettingsSources } from './section.ts';

/** Where the metrics are served; absent: nowhere. */
export function chooseMetrics(sources: SettingsSources): MetricsSettings | undefined {
  const { environment, content, chooser } = sources;
  const metrics = new SettingsSection(sources, 'metrics', content.metrics);
  const variable = readVariable(environment, 'SLUICE_METRICS_PORT');
  const port = metrics.find('port', [chooser.read(variable, readPort, 'a port from 0 to 65535')]);
  const host = metrics.choose('host', '127.0.0.1', [readVariable(environment, 'SLUICE_METRICS_HOST')]);
  const isForAdminKeys = metrics.choose('adminKey', false);
  if (port === undefined && !isForAdminKeys) return undefined;
  return { host, isForAdminKeys, ...(port !== undefined && { port }) };
}
