import type { CheckResult } from './health-probe.ts';

/** A setting in force; it contains no secrets. */
export interface SettingLine {
  name: string;
  value: string;
  /** Where it comes from: a flag, a variable, the file or the default. */
  source: string;
  /** The value in an edited file, if it takes effect at the next start. */
  next?: string;
}

/** What calls of a model at a provider have shown, with one of its credentials. */
export interface MappingState {
  model: string;
  /** Absent if the provider has only one. */
  credential?: string;
  state: string;
  /** Whether this gateway has called it, or knows of a pause. */
  called: boolean;
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

/** The result of a first request to a provider. */
export interface ProviderTest {
  providerId: string;
  /** The name of the tested credential, where the provider has several. */
  credential?: string;
  ok: boolean;
  /** The provider's id of the tested model; absent if none could be tested. */
  model?: string;
  durationMs: number;
  status?: number;
  /** The problem, in a sentence. */
  message?: string;
}

/** A gateway process on the same database. */
interface Replica {
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
  ledger: CheckResult & { unwritten: number; journalBytes: number };
  /** Absent without one in the configuration. */
  feed?: FeedStatus;
  /** Absent while the database does not answer. */
  replicas?: readonly Replica[];
}

/** The catalogue feed. Times are milliseconds since the Unix epoch. */
export interface FeedStatus {
  sequence?: string;
  publishedAt?: number;
  checkedAt?: number;
  /** Why the last one was refused. */
  fault?: { kind: string; message: string; since: number };
  /** A newer one that waits for the operator. */
  held?: { sequence: string; reason: string };
  /** Prices and removals that do not count yet, by `provider/model`. */
  announcements: readonly { from: number; priced: readonly string[]; removed: readonly string[] }[];
}

/** How this gateway runs, for its operator. */
export interface Operations {
  settings(): { file: string | undefined; lines: readonly SettingLine[] };
  providers(): Promise<readonly ProviderState[]>;
  /** Sends the smallest request to a provider, with each of its credentials. Costs a few tokens there. */
  test(providerId: string, model?: string): Promise<readonly ProviderTest[]>;
  /** The same with an organization's own key, or to its own provider. */
  testOwn(wanted: { organizationId: string; providerId: string; model?: string }): Promise<ProviderTest>;
  status(): Promise<GatewayStatus>;
}
