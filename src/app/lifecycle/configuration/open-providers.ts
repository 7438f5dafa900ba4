import type { Catalogue, Provider as CatalogueProvider } from '#catalogue';
import type { RateLimits } from '#accounts';
import type { Allowance, Credential } from '#pipeline';
import type { Provider } from '#providers';
import type { CredentialSettings, Settings } from '../../settings/settings.ts';
import { listLimitsOf } from '#accounts';
import { DEFAULT_CREDENTIAL } from '#catalogue';
import { createProvider } from '#providers';

/** The clients of all providers that can be called. */
interface OpenProviders {
  /** With the first credential, where a provider has several. */
  providers: ReadonlyMap<string, Provider>;
  /** The credentials of providers that have several, or limits. */
  pools: ReadonlyMap<string, readonly Credential[]>;
}

/** Creates the clients of all configured providers, one for each credential. */
export function openProviders(catalogue: Catalogue, settings: Settings): OpenProviders {
  const providers = new Map<string, Provider>();
  const pools = new Map<string, readonly Credential[]>();
  for (const entry of catalogue.providers.values()) {
    const pool = openPool(entry, settings);
    const provider = pool[0]?.provider;
    if (provider) providers.set(entry.id, provider);
    if (pool.length > 1 || pool[0]?.allowance || provider?.credentialName !== undefined)
      pools.set(entry.id, pool);
  }
  return { providers, pools };
}

function openPool(entry: CatalogueProvider, settings: Settings): Credential[] {
  const several = (settings.credentialPools.get(entry.id) ?? []).flatMap((credential) => {
    const { name, weight, limits, baseUrl: address } = credential;
    const provider = openWith(entry, credential, findConnectMs(entry, settings));
    const allowance = findAllowance(entry, settings, { name, limits });
    const more = { ...(allowance && { allowance }), ...(address !== undefined && { address }) };
    return provider ? [{ name, weight, provider, ...more }] : [];
  });
  const only = several.length > 0 ? undefined : openOnly(entry, settings);
  if (!only) return several;
  const allowance = findAllowance(entry, settings, { name: DEFAULT_CREDENTIAL, limits: undefined });
  return [{ name: DEFAULT_CREDENTIAL, weight: 1, provider: only, ...(allowance && { allowance }) }];
}

function findConnectMs({ id }: CatalogueProvider, { timeouts, providerTimeouts }: Settings): number {
  return providerTimeouts.get(id)?.connectMs ?? timeouts.connectMs;
}

/** The limits of a credential and those of its provider, under names that are the same in every process. */
function findAllowance(
  { id }: CatalogueProvider,
  { providerCapacities }: Settings,
  { name, limits }: { name: string; limits: RateLimits | undefined },
): Allowance | undefined {
  const capacity = providerCapacities.get(id);
  if (!capacity) return undefined;
  const all = [
    ...listLimitsOf('provider', { id: `provider:${id}`, limits: capacity.limits }),
    ...listLimitsOf('credential', { id: `credential:${id}/${name}`, limits }),
  ];
  return all.length > 0 ? { limits: all, queue: capacity.queue } : undefined;
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
    connectTimeoutMs: findConnectMs(entry, settings),
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
