import type { Accounts, AdminCaller, Caller, InstallationPorts } from '#accounts';
import type { Catalogue } from '#catalogue';
import type { HttpHeaders, Clock } from '#base';
import type { ClientFormatId } from '#canonical';
import type { Conversations } from '#conversations';
import type { Bill, LogFeed, LogRow, Logs, Sessions, UsageReader } from '#logs';
import type { Arrival, Ports, Reply } from '#pipeline';
import type { DeliveryPorts, Videos } from '#videos';
import type { Metrics } from '#telemetry';
import type { TSchema } from 'typebox';
import type { StreamPlaces } from './stream-places.ts';
import type { DashboardFiles } from './dashboard-files.ts';
import type { HealthProbe } from './health-probe.ts';
import type { HostCheck } from './host-check.ts';
import type { Operations } from './operations.ts';
import type { ReportPorts } from '#reports';
import type { Issuer } from './issuer.ts';
import { describeRefusals } from './refusals.ts';

/** Everything an endpoint may depend on; `needs` names what it gets. */
export interface HttpPorts {
  accounts: Accounts;
  catalogue: () => Catalogue;
  checkHost: HostCheck;
  /** The same for requests with a cookie: only names of this machine and of `server.hosts`. */
  checkOwnHost: HostCheck;
  clock: Clock;
  /** Origins whose pages may call the gateway from a browser; `*` for any. */
  corsOrigins: readonly string[];
  dashboard: DashboardFiles;
  conversations: Conversations;
  /** The bill of a row at the prices it was charged at. */
  explainBill: (row: LogRow) => Promise<Bill>;
  /** Log rows as they are written. */
  feed: Pick<LogFeed, 'follow'>;
  generation: Ports;
  health: HealthProbe;
  /** What operations of resources use besides the accounts. */
  installation: InstallationPorts;
  /** Where people sign in to the dashboard; undefined without `auth.oidc`. */
  issuer: () => Issuer | undefined;
  /** Whether the gateway is stopping. */
  isDraining: () => boolean;
  /** Whether a proxy's forwarding header is trusted. */
  isTrustedProxy: (address: string) => boolean;
  logs: Logs;
  logStreams: StreamPlaces;
  /** The metrics, if they are served to admin keys. */
  metrics: () => Pick<Metrics, 'contentType' | 'print'> | undefined;
  openapi: () => string;
  /** How this gateway runs, for its operator. */
  operations: Operations;
  /** The custom models of a caller's organization; absent if it has none. */
  ownModels: (caller: Caller) => Catalogue | undefined;
  /** Whether a provider can be called now: for a caller, also with its organization's own keys. */
  isAvailable: (providerId: string, caller: Caller | undefined) => boolean;
  /** What reports read. */
  reports: ReportPorts & DeliveryPorts;
  usage: UsageReader;
  sessions: Sessions;
  videos: Videos;
  version: string;
}

/** One request to one endpoint. */
export interface Call {
  requestId: string;
  method: string;
  path: string;
  /** The values of the named segments of the endpoint's path. */
  params: Readonly<Record<string, string | undefined>>;
  /** The caller's address, behind trusted proxies. */
  clientAddress: string | undefined;
  query: URLSearchParams;
  headers: HttpHeaders;
  reply: Reply;
  /** The caller, if the endpoint's `auth` requires one. */
  caller?: Caller;
  /** The admin caller of an admin endpoint. */
  admin?: AdminCaller;
  /** The request as the pipeline expects it. */
  arrive(endpoint: string, format: ClientFormatId): Arrival;
}

export interface ResponseSpec {
  description: string;
  schema?: TSchema;
  contentType?: string;
}

/** A query parameter that must not be empty. */
export interface QueryText {
  description: string;
  minLength: number;
}

/**
 * Which credentials are accepted: `regular` keys only, keys and session tokens (`caller`), `admin` keys only, any or
 * none (`none`), none or a valid key or session token (`optional`), or both checked by the generation path itself, so
 * that refusals leave a row (`path`).
 */
export const AUTH_POLICIES = ['regular', 'caller', 'admin', 'optional', 'none', 'path'] as const;

type AuthPolicy = (typeof AUTH_POLICIES)[number];

export interface Endpoint {
  method: 'DELETE' | 'GET' | 'POST' | 'HEAD';
  path: string;
  /** The path as OpenAPI writes it. */
  template: string;
  /** What a path with `*` must match. */
  pattern?: RegExp;
  /** Other paths that clients are known to use. */
  aliases: readonly string[];
  summary: string;
  auth: AuthPolicy;
  /** Whether the key may be in the query as `key`; for endpoints whose caller is identified before they run. */
  takesKeyInQuery?: boolean;
  /** Whether a session that is bound to a member can use it; the endpoint then shows only what is the member's own. */
  isForMembers?: boolean;
  /** The format of errors. */
  format: ClientFormatId;
  query?: Readonly<Record<string, string | QueryText>>;
  /** Headers the endpoint reads besides the credential. */
  headers?: Readonly<Record<string, string>>;
  body?: TSchema;
  /** The longest accepted body; 32 MiB by default. */
  mostBodyBytes?: number;
  /** Accepted body types; JSON by default. */
  bodyTypes?: readonly string[];
  responses: Readonly<Record<number, ResponseSpec>>;
  handle(call: Call, ports: HttpPorts): Promise<void>;
}

/** A call with the caller that the endpoint's `auth` requires: it is identified before the handler runs. */
type CallOf<Auth extends AuthPolicy> = Call &
  (Auth extends 'regular' | 'caller' ? { caller: Caller } : unknown) &
  (Auth extends 'admin' ? { admin: AdminCaller } : unknown);

type Spec<Need extends keyof HttpPorts, Auth extends AuthPolicy> = Omit<
  Endpoint,
  'handle' | 'aliases' | 'template'
> & {
  auth: Auth;
  aliases?: readonly string[];
  /** For a path with `*`. */
  template?: string;
  /** Statuses of errors with the usual meaning. */
  refusals?: readonly number[];
  needs: readonly Need[];
  handle(call: CallOf<Auth>, ports: Pick<HttpPorts, Need>): Promise<void>;
};

/** Declares an endpoint. Its handler can use only the ports in `needs`. */
export function defineEndpoint<const Need extends keyof HttpPorts, const Auth extends AuthPolicy>({
  aliases = [],
  refusals = [],
  ...spec
}: Spec<Need, Auth>): Endpoint & { needs: readonly Need[] } {
  const { template = spec.path.replaceAll(/:(\w+)/g, '{$1}') } = spec;
  const responses = { ...spec.responses, ...describeRefusals(spec.format, refusals) };
  return { ...spec, aliases, template, responses };
}
