import type { Provider as CatalogueProvider } from '#catalogue';
import type { OutboundFormat } from '#wire';
import type { Transport } from './transport.ts';
import { getOutboundFormat } from '#wire';
import { createRedactor } from './redact.ts';
import { ECHO_PROVIDER_ID, echoTransport } from './transports/echo.ts';
import { HttpTransport } from './transports/http.ts';

/** A provider that can be called: a format × a transport. */
export interface Provider {
  id: string;
  format: OutboundFormat;
  transport: Transport;
  /** Hides this provider's secrets in a text it sent. */
  redact(text: string): string;
}

export interface ProviderAccess {
  /** The provider's API key, where it takes one. */
  apiKey?: string;
  headers?: Readonly<Record<string, string>>;
  connectTimeoutMs: number;
}

/** Providers whose transport is not plain HTTP with a key. */
const BUILT_IN_TRANSPORTS: Readonly<Record<string, Transport>> = { [ECHO_PROVIDER_ID]: echoTransport };

/** Makes a catalogue provider callable; `undefined` where it has no address. */
export function createProvider(entry: CatalogueProvider, access: ProviderAccess): Provider | undefined {
  const format = getOutboundFormat(entry.format);
  const builtIn = BUILT_IN_TRANSPORTS[entry.id];
  if (builtIn) return { id: entry.id, format, transport: builtIn, redact: createRedactor([]) };
  if (entry.baseUrl === undefined) return undefined;
  const transport = new HttpTransport({
    baseUrl: entry.baseUrl,
    connectTimeoutMs: access.connectTimeoutMs,
    ...(access.headers && { headers: access.headers }),
    ...(access.apiKey !== undefined && { credential: toCredential(entry.auth, access.apiKey) }),
  });
  const secrets = [access.apiKey ?? '', ...Object.values(access.headers ?? {})];
  return { id: entry.id, format, transport, redact: createRedactor(secrets) };
}

function toCredential(
  auth: CatalogueProvider['auth'],
  apiKey: string,
): { header: 'authorization' | 'x-api-key'; value: string } {
  return auth === 'bearer'
    ? { header: 'authorization', value: `Bearer ${apiKey}` }
    : { header: 'x-api-key', value: apiKey };
}
