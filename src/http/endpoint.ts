import type { Accounts, AdminCaller, Caller, PlanCatalogue, ByokTerms } from '#accounts';
import type { Catalogue } from '#catalogue';
import type { Clock } from '#base';
import type { ClientFormatId } from '#canonical';
import type { Conversations } from '#conversations';
import type { Logs, UsageBook } from '#logs';
import type { Arrival, Ports, Reply } from '#pipeline';
import type { Videos } from '#videos';
import type { RequestHeaders } from '#wire';
import type { TSchema } from 'typebox';
import type { HealthProbe } from './health-probe.ts';
import type { HostCheck } from './host-check.ts';

/** All that an endpoint may ask for; `needs` names what it gets. */
export interface HttpPorts {
  accounts: Accounts;
  catalogue: () => Catalogue;
  checkHost: HostCheck;
  clock: Clock;
  conversations: Conversations;
  generation: Ports;
  health: HealthProbe;
  /** Whether the gateway is stopping. */
  isDraining: () => boolean;
  /** Whether a proxy is believed about who called it. */
  isTrustedProxy: (address: string) => boolean;
  logs: Logs;
  openapi: () => string;
  /** The models of a caller's organization's own; absent where it has none. */
  ownModels: (caller: Caller) => Catalogue | undefined;
  /** What the configuration says to what organizations want to bring along. */
  byokTerms: () => ByokTerms;
  usage: UsageBook;
  /** The plans on offer. */
  plans: () => PlanCatalogue;
  videos: Videos;
  version: string;
}

/** One request to one endpoint. */
export interface Call {
  requestId: string;
  method: string;
  path: string;
  /** What stands at the named places of the endpoint's path. */
  params: Readonly<Record<string, string | undefined>>;
  /** The address of the caller, behind the proxies that are trusted. */
  clientAddress: string | undefined;
  query: URLSearchParams;
  headers: RequestHeaders;
  reply: Reply;
  /** The caller, where the endpoint's `auth` asks for one. */
  caller?: Caller;
  /** The administrator, where the endpoint is an admin endpoint. */
  admin?: AdminCaller;
  /** The request as the pipeline takes it. */
  arrive(endpoint: string, format: ClientFormatId): Arrival;
}

export interface ResponseSpec {
  description: string;
  schema?: TSchema;
  contentType?: string;
}

/** A member of the query that must not be empty. */
export interface QueryText {
  description: string;
  minLength: number;
}

/**
 * Who may call: `regular` keys only, keys and session tokens (`caller`), `admin` keys only, anyone (`none`), anyone but a
 * credential that is given must be good, be it a key or a session token (`optional`), or the generation path, which takes
 * both and identifies on its own so that refusals leave a row (`path`).
 */
export const AUTH_POLICIES = ['regular', 'caller', 'admin', 'optional', 'none', 'path'] as const;

export interface Endpoint {
  method: 'DELETE' | 'GET' | 'POST' | 'HEAD';
  path: string;
  /** The path as OpenAPI writes it, where the router's spelling (`*`) is none. */
  template?: string;
  /** What a path with `*` must look like to be this endpoint's. */
  pattern?: RegExp;
  /** Other spellings that clients are known to use. */
  aliases: readonly string[];
  summary: string;
  auth: (typeof AUTH_POLICIES)[number];
  /** The format errors are written in. */
  format: ClientFormatId;
  query?: Readonly<Record<string, string | QueryText>>;
  /** Headers of the request that mean something to this endpoint, beside the credential. */
  headers?: Readonly<Record<string, string>>;
  body?: TSchema;
  /** What the body may be; JSON unless told. */
  bodyTypes?: readonly string[];
  responses: Readonly<Record<number, ResponseSpec>>;
  handle(call: Call, ports: HttpPorts): Promise<void>;
}

type Spec<Need extends keyof HttpPorts> = Omit<Endpoint, 'handle' | 'aliases'> & {
  aliases?: readonly string[];
  needs: readonly Need[];
  handle(call: Call, ports: Pick<HttpPorts, Need>): Promise<void>;
};

/** Declares an endpoint; its handler reaches only the ports it names. */
export function defineEndpoint<const Need extends keyof HttpPorts>({
  aliases = [],
  ...spec
}: Spec<Need>): Endpoint & { needs: readonly Need[] } {
  return { ...spec, aliases };
}
