import type { Environment, MetricsSettings } from './settings.ts';
import type { SettingsFile } from './settings-schema.ts';
import { type Chooser, readPort } from './choose.ts';

interface Sources {
  environment: Environment;
  content: SettingsFile;
  /** The place of a value in the file. */
  locate(...path: string[]): string;
}

/** Where the metrics are served; absent: nowhere. */
export function chooseMetrics(
  { environment, content, locate }: Sources,
  chooser: Chooser,
): MetricsSettings | undefined {
  const { port: filePort, host: fileHost } = content.metrics ?? {};
  const variable = { value: environment['SLUICE_METRICS_PORT'], source: 'SLUICE_METRICS_PORT' };
  const port = chooser.choose<number | undefined>(
    'metrics.port',
    [
      chooser.read(variable, readPort, 'a port from 0 to 65535'),
      { value: filePort, source: locate('metrics', 'port') },
    ],
    undefined,
  );
  const host = chooser.choose(
    'metrics.host',
    [
      { value: environment['SLUICE_METRICS_HOST'] || undefined, source: 'SLUICE_METRICS_HOST' },
      { value: fileHost, source: locate('metrics', 'host') },
    ],
    '127.0.0.1',
  );
  const isForAdminKeys = chooser.choose(
    'metrics.adminKey',
    [{ value: content.metrics?.adminKey, source: locate('metrics', 'adminKey') }],
    false,
  );
  if (port === undefined && !isForAdminKeys) return undefined;
  return { host, isForAdminKeys, ...(port !== undefined && { port }) };
}
