import type { LookupFunction } from 'node:net';
import type { FormatId } from '#canonical';
import type { Provider as CatalogueProvider } from '#catalogue';
import type { OutboundFormat } from '#wire';
import type { Transport } from './transport.ts';
import { DEFAULT_CREDENTIAL } from '#catalogue';
import { getOutboundFormat } from '#wire';
import {
  type CloudAccess,
  createCloudFormats,
  createCloudTransport,
  findMediumAddress,
  listSecrets,
} from './cloud.ts';
import type { MediumAddress } from './envelope.ts';
import { createRedactor, listHeaderSecrets } from './redact.ts';
import { ECHO_PROVIDER_ID, echoTransport } from './transports/echo.ts';
import { ResourceClient } from './resource-client.ts';
import { HttpTransport, type HttpTransportOptions } from './transports/http.ts';

/** A provider that can be called: a transport and its formats. */
export interface Provider {
  id: string;
  /** A format with this provider's envelope; the mapping decides which. */
  getFormat(id: FormatId): OutboundFormat;
  transport: Transport;
  /** Its addresses for media, if its cloud has its own. */
  addressMedium?: MediumAddress;
  /** Set for an organization's own credential; absent for the gateway's. */
  credentialId?: string;
  /** The gateway's credential, if it has several here; absent for the default one. */
  credentialName?: string;
  /** Fetches objects that it stores; absent if it is not called over plain HTTP with a key. */
  resources?: ResourceClient;
  /** Redacts this provider's secrets from a text it sent. */
  redact(text: string): string;
}

export interface ProviderAccess {
  /** The provider's API key, if it needs one. */
  apiKey?: string;
  headers?: Readonly<Record<string, string>>;
  connectTimeoutMs: number;
  /** Cloud settings, if the provider is part of a cloud. */
  cloudAccess?: CloudAccess;
  /** Set for an organization's own credential. */
  credentialId?: string;
  /** The name of the gateway's credential, if it has one. */
  credentialName?: string;
  /** Checks the addresses of connections; absent for addresses set by the operator. */
  lookup?: LookupFunction;
}

/** Providers whose transport is not plain HTTP with a key. */
const BUILT_IN_TRANSPORTS: Readonly<Record<string, Transport>> = { [ECHO_PROVIDER_ID]: echoTransport };

/** Names the account that a provider is called with; absent for the gateway's only or default one. */
export function accountOf({
  credentialId,
  credentialName,
}: Pick<Provider, 'credentialId' | 'credentialName'>): string | undefined {
  return credentialId ?? credentialName;
}

/** Creates a client for a catalogue provider; `undefined` if it has no address. */
export function createProvider(entry: CatalogueProvider, access: ProviderAccess): Provider | undefined {
  const getFormat = entry.cloud ? createCloudFormats(entry.cloud, access.cloudAccess) : getOutboundFormat;
  const builtIn = BUILT_IN_TRANSPORTS[entry.id];
  if (builtIn) return { id: entry.id, getFormat, transport: builtIn, redact: createRedactor([]) };
  if (entry.baseUrl === undefined) return undefined;
  const { baseUrl, cloud } = entry;
  const { connectTimeoutMs } = access;
  const credential = access.apiKey === undefined ? undefined : toCredential(entry.auth, access.apiKey);
  const http = new HttpTransport({
    baseUrl,
    connectTimeoutMs,
    ...(access.headers && { headers: access.headers }),
    ...(access.lookup && { lookup: access.lookup }),
    ...(credential && { credential }),
  });
  const facts = { baseUrl, isKeyed: access.apiKey !== undefined, access: access.cloudAccess ?? {} };
  // Streams of Converse are binary wherever they come from.
  const host = cloud ?? (entry.format === 'converse' ? 'bedrock' : undefined);
  const transport = host ? createCloudTransport(host, http, facts) : http;
  const secrets = [
    access.apiKey ?? '',
    ...listHeaderSecrets(access.headers ?? {}),
    ...listSecrets(access.cloudAccess),
  ];
  const { credentialId, credentialName = DEFAULT_CREDENTIAL } = access;
  const addressMedium = cloud && findMediumAddress(cloud, access.cloudAccess);
  const openResources = (): ResourceClient =>
    new ResourceClient({
      baseUrl,
      connectTimeoutMs,
      ...(access.lookup && { lookup: access.lookup }),
      credential: { ...access.headers, ...(credential && { [credential.header]: credential.value }) },
      decodeFailure: (response) => getFormat(entry.format).decodeFailure(response),
    });
  return {
    id: entry.id,
    getFormat,
    transport,
    ...(addressMedium && { addressMedium }),
    ...(!cloud && { resources: openResources() }),
    redact: createRedactor(secrets),
    ...(credentialId !== undefined && { credentialId }),
    ...(credentialName !== DEFAULT_CREDENTIAL && { credentialName }),
  };
}

function toCredential(
  auth: CatalogueProvider['auth'],
  apiKey: string,
): NonNullable<HttpTransportOptions['credential']> {
  return auth === 'bearer'
    ? { header: 'authorization', value: `Bearer ${apiKey}` }
    : { header: auth, value: apiKey };
}
