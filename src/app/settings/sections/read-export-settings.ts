import type { ExportSettings } from '#exports';
import { isAbsolute } from 'node:path';
import { describeUrl, findSecretFault, isPlainUrl } from './destination-faults.ts';
import type { ExportEntry } from '../schemas/exports-schema.ts';
import type { SettingsProblem } from '../settings-problem.ts';

type ExportType = ExportSettings['type'];

/** The fields of each type besides those of all, and whether they are required. */
const FIELDS: Record<ExportType, Partial<Record<keyof ExportEntry, 'required' | 'optional'>>> = {
  file: { path: 'required', rotateMiB: 'optional' },
  http: { url: 'required', secret: 'optional', headers: 'optional', format: 'optional' },
  s3: {
    bucket: 'required',
    region: 'optional',
    endpoint: 'optional',
    prefix: 'optional',
    accessKeyId: 'required',
    secretAccessKey: 'required',
    sessionToken: 'optional',
  },
  clickhouse: {
    url: 'required',
    database: 'optional',
    table: 'optional',
    user: 'optional',
    password: 'optional',
  },
};
const COMMON = new Set<string>(['name', 'type', 'organization', 'from', 'batch']);
const BATCHES: Record<ExportType, { rows: number; seconds: number }> = {
  file: { rows: 1_000, seconds: 1 },
  http: { rows: 500, seconds: 5 },
  s3: { rows: 10_000, seconds: 300 },
  clickhouse: { rows: 10_000, seconds: 5 },
};
const USUAL_ROTATE_MIB = 256;
const USUAL_REGION = 'us-east-1';

/** The configured exports; missing and contradictory settings become problems at their places. */
export function readExportSettings(
  entries: readonly ExportEntry[],
  locate: (...path: string[]) => string,
  problems: SettingsProblem[],
): ExportSettings[] {
  const names = new Set<string>();
  return entries.flatMap((entry, at) => {
    const messages = checkEntry(entry);
    if (names.has(entry.name)) messages.push(`there is another export named ${entry.name}`);
    names.add(entry.name);
    const place = locate('exports', String(at));
    problems.push(...messages.map((message) => ({ place, message })));
    return messages.length > 0 ? [] : [readExport(entry)];
  });
}

function checkEntry(entry: ExportEntry): string[] {
  const { type, path, url, endpoint, secret } = entry;
  const secretFault = secret === undefined ? undefined : findSecretFault(secret);
  const fields = FIELDS[type];
  const missing = Object.entries(fields).filter(
    ([name, need]) => need === 'required' && entry[name as keyof ExportEntry] === undefined,
  );
  const foreign = Object.keys(entry).filter((name) => !COMMON.has(name) && !(name in fields));
  return [
    ...missing.map(([name]) => `an export of type ${type} needs \`${name}\``),
    ...foreign.map((name) => `an export of type ${type} has no \`${name}\``),
    ...(path !== undefined && !isAbsolute(path) ? ['`path` must be an absolute path'] : []),
    ...(url !== undefined && !isPlainUrl(url) ? [describeUrl('url')] : []),
    ...(secretFault === undefined ? [] : [secretFault]),
    ...(endpoint !== undefined && !isPlainUrl(endpoint) ? [describeUrl('endpoint')] : []),
  ];
}

function readExport(entry: ExportEntry): ExportSettings {
  const { name, type, organization, from = 'now', batch, url = '' } = entry;
  const common = {
    name,
    from,
    batchRows: batch?.rows ?? BATCHES[type].rows,
    batchMs: (batch?.seconds ?? BATCHES[type].seconds) * 1_000,
    ...(organization !== undefined && { organizationId: organization }),
  };
  switch (type) {
    case 'file': {
      const { path: folder = '', rotateMiB = USUAL_ROTATE_MIB } = entry;
      return { ...common, type, folder, rotateBytes: rotateMiB * 1024 * 1024 };
    }
    case 'http': {
      const { secret, headers = {}, format = 'json' } = entry;
      return { ...common, type, url, headers, format, ...(secret !== undefined && { secret }) };
    }
    case 's3':
      return { ...common, type, ...readBucket(entry) };
    case 'clickhouse': {
      const { database = 'default', table = 'sluice_requests', user, password } = entry;
      const login = { ...(user !== undefined && { user }), ...(password !== undefined && { password }) };
      return { ...common, type, url, database, table, ...login };
    }
  }
}

function readBucket(
  entry: ExportEntry,
): Omit<Extract<ExportSettings, { type: 's3' }>, 'name' | 'type' | 'from' | 'batchRows' | 'batchMs'> {
  const { endpoint, region = USUAL_REGION, bucket = '', prefix = '', sessionToken } = entry;
  const { accessKeyId = '', secretAccessKey = '' } = entry;
  const token = sessionToken === undefined ? {} : { sessionToken };
  return {
    region,
    bucket,
    prefix: prefix.replace(/\/$/, ''),
    keys: { accessKeyId, secretAccessKey, ...token },
    ...(endpoint !== undefined && { endpoint: endpoint.replace(/\/+$/, '') }),
  };
}
