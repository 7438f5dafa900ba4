import type { CheckResult } from './health-probe.ts';

/** A setting in force; it contains no secrets. */
export interface SettingLine {
  name: string;
  value: string;
  /** Where it comes from: a flag, a variable, the file or the default. */
  source: string;
  /** What an edit has changed it to, if that takes effect at the next start. */
  next?: string;
}

/** What calls of a model at a provider have shown, with one of its credentials. */
export interface MappingState {
  model: string;
  /** Absent if the provider has only one. */
  credential?: string;
  standing: string;
  /** Of the latest calls, which weigh most. */
  failedShare: number;
  /** How long it is not called, or only where nothing better is left. */
  pausedMs: number;
  firstEventMs?: number;
  wholeMs?: number;
  msPerToken?: number;
}

/** A provider of the catalogue or the configuration. */
export interface ProviderState {
  id: string;
  name: string;
  format: string;
  baseUrl: string | null;
  /** The source of its key; never the key. */
  credential: string | null;
  credentials: readonly string[];
  live: boolean;
  models: number;
  mappings: readonly MappingState[];
}

/** The result of a test request. */
export interface TrialResult {
  providerId: string;
  credential?: string;
  ok: boolean;
  model?: string;
  durationMs: number;
  status?: number;
  message?: string;
}

/** A gateway process on the same database. */
export interface Replica {
  id: string;
  note: string;
  /** How long ago it reported. */
  seenMs: number;
}

export interface GatewayStatus {
  startedAt: number;
  openRequests: number;
  database: CheckResult & {
    isEmbedded: boolean;
    connections: { open: number; idle: number; waiting: number };
    version?: string;
    bytes?: number;
  };
  redis: CheckResult & { isConfigured: boolean };
  ledger: CheckResult & { unwritten: number };
  /** Absent while the database does not answer. */
  replicas?: readonly Replica[];
}

/** How this gateway runs, for its operator. */
export interface Operations {
  settings(): { file: string | undefined; lines: readonly SettingLine[] };
  providers(): Promise<readonly ProviderState[]>;
  /** Sends the smallest request to a provider, with each of its credentials. Costs a few tokens there. */
  test(providerId: string, model?: string): Promise<readonly TrialResult[]>;
  /** The same with an organization's own key, or to its own provider. */
  testOwn(wanted: { organizationId: string; providerId: string; model?: string }): Promise<TrialResult>;
  status(): Promise<GatewayStatus>;
}
