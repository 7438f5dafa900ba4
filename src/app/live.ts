import type { PlanCatalogue } from '#accounts';
import type { Catalogue } from '#catalogue';
import type { LiveSettings } from '#pipeline';
import type { Provider } from '#providers';
import type { Settings } from './settings.ts';
import { extendCatalogue } from '#catalogue';
import { createProvider } from '#providers';

/** What may change while the gateway runs, built anew from each good configuration. */
export interface Live {
  current: LiveSettings;
  /** The plans on offer. */
  plans: PlanCatalogue;
  /** Replaces the current settings; providers no longer used are closed once their requests are over. */
  replace(settings: Settings): void;
  close(): Promise<void>;
}

export function createLive(catalogue: Catalogue, settings: Settings): Live {
  let current = build(catalogue, settings);
  let { plans } = settings;
  return {
    get current() {
      return current;
    },
    get plans() {
      return plans;
    },
    replace(next) {
      const old = current;
      current = build(catalogue, next);
      plans = next.plans;
      for (const { transport } of old.providers.values()) void transport.drain().catch(() => undefined);
    },
    close: () => closeAll(current.providers),
  };
}

function build(base: Catalogue, settings: Settings): LiveSettings {
  const catalogue = extendCatalogue(base, settings.providers);
  const { connectMs, ...timeouts } = settings.timeouts;
  const providers = new Map<string, Provider>();
  for (const entry of catalogue.providers.values()) {
    const apiKey = settings.credentials.get(entry.id);
    const headers = settings.providerHeaders.get(entry.id);
    const cloudAccess = settings.cloudAccess.get(entry.id);
    const isConfigured = settings.providers.some(({ id }) => id === entry.id);
    if (apiKey === undefined && entry.env.length > 0 && !isConfigured) continue;
    const provider = createProvider(entry, {
      connectTimeoutMs: connectMs,
      ...(apiKey !== undefined && { apiKey }),
      ...(headers && { headers }),
      ...(cloudAccess && { cloudAccess }),
    });
    if (provider) providers.set(entry.id, provider);
  }
  return { catalogue, providers, timeouts, allowUnpriced: settings.allowUnpriced, premium: settings.premium };
}

async function closeAll(providers: ReadonlyMap<string, Provider>): Promise<void> {
  await Promise.all([...providers.values()].map((provider) => provider.transport.close()));
}
