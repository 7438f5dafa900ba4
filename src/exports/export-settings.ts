/** An organization's rows only, how they are batched, and where an export begins. */
interface CommonSettings {
  /** Identifies the export: its cursor is kept under this name. */
  name: string;
  organizationId?: string;
  /** A new export begins with the rows from now on, or with the oldest that is kept. */
  from: 'now' | 'beginning';
  /** The most rows of a batch. */
  batchRows: number;
  /** How long rows wait for a batch to fill. */
  batchMs: number;
}

export interface FileSettings extends CommonSettings {
  type: 'file';
  /** An absolute path. */
  folder: string;
  rotateBytes: number;
}

export interface HttpSettings extends CommonSettings {
  type: 'http';
  url: string;
  /** Signs each batch; absent: not signed. */
  secret?: string;
  headers: Readonly<Record<string, string>>;
  format: 'json' | 'ndjson';
}

export interface S3Settings extends CommonSettings {
  type: 's3';
  /** Without a slash at its end; absent: Amazon's. */
  endpoint?: string;
  region: string;
  bucket: string;
  /** In front of the key of each object, without a slash at its end. */
  prefix: string;
  keys: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

export interface ClickHouseSettings extends CommonSettings {
  type: 'clickhouse';
  url: string;
  database: string;
  table: string;
  user?: string;
  password?: string;
}

/** An export of log rows. */
export type ExportSettings = FileSettings | HttpSettings | S3Settings | ClickHouseSettings;

export const EXPORT_TYPES = ['file', 'http', 's3', 'clickhouse'] as const;
