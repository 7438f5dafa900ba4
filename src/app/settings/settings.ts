import type { PlanCatalogue, RateLimits } from '#accounts';
import type { AddressRules } from '#base';
import type { ConfiguredProvider, PremiumRule } from '#catalogue';
import type { AlertSettings } from '#alerts';
import type { ExportSettings } from '#exports';
import type { IssuerSettings } from '#http';
import type { LogLimits } from '#logs';
import type { QueueRules } from '#pipeline';
import type { CloudAccess } from '#providers';
import type { RoutingRules } from '#routing';
import type { LogLevel, OtlpSettings } from '#telemetry';
import type { FeedSettings } from './feed-settings.ts';
import type { VideoSettings } from '#videos';

/** How long the gateway waits for a provider. */
interface TimeoutSettings {
  /** For a connection. */
  connectMs: number;
  /** From the request to the first event of the answer. */
  firstEventMs: number;
  /** Between two events. */
  idleMs: number;
  /** For the whole answer. */
  totalMs: number;
  /** For the rest of an answer that is billed although its client has disconnected. */
  afterLeavingMs: number;
}

/** One of several credentials of a provider, as it is called with it. */
export interface CredentialSettings {
  name: string;
  /** Its share of the requests; 0: only if no other can be used. */
  weight: number;
  apiKey?: string;
  headers?: Record<string, string>;
  /** Where it differs from the provider's. */
  baseUrl?: string;
  cloudAccess?: CloudAccess;
  limits?: RateLimits;
}

/** How much may be sent to a provider with all credentials, and where requests wait meanwhile. */
interface ProviderCapacity {
  limits: RateLimits;
  queue: QueueRules;
}

/** Where the metrics are served. */
export interface MetricsSettings {
  /** 0 takes any free port; absent: no separate port. */
  port?: number;
  /** Whether they are at `/metrics` of the gateway, too, for admin keys. */
  isForAdminKeys: boolean;
  host: string;
}

/** The effective configuration: flags, environment, file and defaults, in this order of precedence. */
export interface Settings {
  /** Absolute path. */
  dataDir: string;
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Whether `host` may be an address that other machines can reach. */
  publicBind: boolean;
  /** Whether other gateways of this machine may listen on the same port. */
  reusePort: boolean;
  /** Names allowed in the `Host` of requests, besides this machine's own; empty: see `createHostCheck`. */
  hosts: readonly string[];
  /** Origins whose pages may call the gateway from a browser; `*` for any. */
  corsOrigins: readonly string[];
  /** Addresses and networks of proxies whose forwarding headers are trusted. */
  trustedProxies: readonly string[];
  /** An external PostgreSQL; absent: the embedded one in the data directory. */
  databaseUrl?: string;
  /** How long a request waits for PostgreSQL before it is refused; absent: so long that it is refused within two seconds. */
  databaseWaitMs?: number;
  /** A Redis or Valkey shared by several gateways; absent: kept in process. */
  redisUrl?: string;
  /** Overrides the secret file of the data directory. */
  secret?: string;
  drainMs: number;
  /** Memory for all open bodies together; absent: the server's default. */
  openBodyBytes?: number;
  /** How long a stopping gateway reports that it is not ready before it closes its port. */
  readyDelayMs: number;
  /** How many connections of callers may be open at once. */
  maxConnections: number;
  timeouts: TimeoutSettings;
  /** Whether models without a known price may be used, at cost 0. */
  allowUnpriced: boolean;
  /** Which addresses organizations may use for custom providers. */
  addresses: AddressRules;
  /** The price from which a model draws on the premium allowance of a plan. */
  premium: PremiumRule;
  /** The plans of `sluice plans set`. */
  plans: PlanCatalogue;
  videos: VideoSettings;
  logLevel: LogLevel;
  /** How much of the request log is kept. */
  logLimits: LogLimits;
  /** Whether what is admitted and settled on leases must survive a power failure at once. */
  isStrictlyDurable: boolean;
  /** Whether busy keys are served from leases. */
  hasLeases: boolean;
  /** How failing, slow and silent providers are dealt with. */
  routing: RoutingRules;
  /** Where people sign in to the dashboard by OpenID Connect; absent: nowhere. */
  oidc?: IssuerSettings;
  /** Absent: there are none. */
  metrics?: MetricsSettings;
  /** Where rows of the request log are copied. */
  exports: readonly ExportSettings[];
  /** The alerts that are sent to webhooks; absent: none. */
  alerts?: AlertSettings;
  /** Where models and prices come from besides the built-in catalogue; absent: nowhere. */
  catalogue?: FeedSettings;
  /** What is exported to OpenTelemetry; absent: nothing. */
  otlp?: OtlpSettings;
  /** Providers of the configuration file, and catalogue providers whose address the environment completes. */
  providers: ConfiguredProvider[];
  /** Provider id → API key. */
  credentials: Map<string, string>;
  /** Provider id → the source of its API key or other credential, for `sluice config check`. */
  credentialSources: Map<string, string>;
  /** Provider id → its credentials, where it has several or a named one; the first is also in `credentials`. */
  credentialPools: Map<string, CredentialSettings[]>;
  /** Provider id → its limits and its queue, where either is configured. */
  providerCapacities: Map<string, ProviderCapacity>;
  /** Provider id → the timeouts in which it differs. */
  providerTimeouts: Map<string, Partial<TimeoutSettings>>;
  /** Provider id → headers sent with each request. */
  providerHeaders: Map<string, Record<string, string>>;
  /** Provider id → what its cloud needs besides an address and a key. */
  cloudAccess: Map<string, CloudAccess>;
  /** Name of a setting (`server.port`) → the source of its value: a flag, a variable, the file, or a default. */
  sources: Map<string, string>;
  /** The configuration file that was read, if there is one. */
  file?: string;
  /** Its text, to distinguish an edit from a mere touch. */
  fileText?: string;
}

/** Values given on the command line. */
export interface SettingsFlags {
  dataDir?: string;
  host?: string;
  port?: string;
  /** Allows an address that other machines can reach. */
  public?: boolean;
  /** Shares the port with other gateways. */
  reusePort?: boolean;
  config?: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The sources of settings. */
export interface SettingsOrigin {
  flags?: SettingsFlags;
  environment?: Environment;
  /** Where `sluice.yaml` is searched and relative paths start. */
  workingDirectory?: string;
}
