import type { Catalogue, Provider as CatalogueProvider } from '#catalogue';
import type { Credential } from '#pipeline';
import type { Provider } from '#providers';
import type { CredentialSettings, Settings } from '../settings/settings.ts';
import { createProvider } from '#providers';

/** The clients of all providers that can be called. */
interface OpenProviders {
  /** With the first credential, where a provider has several. */
  providers: ReadonlyMap<string, Provider>;
  /** The credentials of providers that have several. */
  pools: ReadonlyMap<string, readonly Credential[]>;
}

/** Creates the clients of all configured providers, one for each credential. */
export function openProviders(catalogue: Catalogue, settings: Settings): OpenProviders {
  const providers = new Map<string, Provider>();
  const pools = new Map<string, readonly Credential[]>();
  for (const entry of catalogue.providers.values()) {
    const pool = (settings.credentialPools.get(entry.id) ?? []).flatMap((credential) => {
      const provider = openWith(entry, credential, settings.timeouts.connectMs);
      return provider ? [{ name: credential.name, weight: credential.weight, provider }] : [];
    });
    const provider = pool[0]?.provider ?? openOnly(entry, settings);
    if (provider) providers.set(entry.id, provider);
    if (pool.length > 0) pools.set(entry.id, pool);
  }
  return { providers, pools };
}

function openWith(
  entry: CatalogueProvider,
  credential: CredentialSettings,
  connectTimeoutMs: number,
): Provider | undefined {
  const { name: credentialName, baseUrl = entry.baseUrl } = credential;
  const there = baseUrl === undefined ? entry : { ...entry, baseUrl };
  return createProvider(there, { ...credential, connectTimeoutMs, credentialName });
}

function openOnly(entry: CatalogueProvider, settings: Settings): Provider | undefined {
  const apiKey = settings.credentials.get(entry.id);
  const headers = settings.providerHeaders.get(entry.id);
  const cloudAccess = settings.cloudAccess.get(entry.id);
  const isConfigured = settings.providers.some(({ id }) => id === entry.id);
  if (apiKey === undefined && entry.env.length > 0 && !isConfigured) return undefined;
  return createProvider(entry, {
    connectTimeoutMs: settings.timeouts.connectMs,
    ...(apiKey !== undefined && { apiKey }),
    ...(headers && { headers }),
    ...(cloudAccess && { cloudAccess }),
  });
}

/** Each client once. */
export function listOpen({ providers, pools }: OpenProviders): Provider[] {
  const pooled = [...pools.values()].flatMap((pool) => pool.map(({ provider }) => provider));
  return [...new Set([...providers.values(), ...pooled])];
}
