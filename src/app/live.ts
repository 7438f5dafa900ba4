import type { Catalogue } from '#catalogue';
import type { LiveSettings } from '#pipeline';
import type { Provider } from '#providers';
import type { VideoSettings } from '#videos';
import type { Settings } from './settings.ts';
import { extendCatalogue } from '#catalogue';
import { createProvider } from '#providers';

/** What may change, as its readers see it. */
export type Current = LiveSettings & { videos: VideoSettings };

/** What may change while the gateway runs, built anew from each good configuration. */
export interface Live {
  current: Current;
  /** Replaces the current settings; providers no longer used are closed once their requests are over. */
  replace(settings: Settings): void;
  close(): Promise<void>;
}

export function createLive(catalogue: Catalogue, settings: Settings): Live {
  let current = build(catalogue, settings);
  return {
    get current() {
      return current;
    },
    replace(next) {
      const old = current;
      current = build(catalogue, next);
      for (const { transport, resources } of old.providers.values()) {
        void transport.drain().catch(() => undefined);
        void resources?.drain().catch(() => undefined);
      }
    },
    close: () => closeAll(current.providers),
  };
}

function build(base: Catalogue, settings: Settings): Current {
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
  const { allowUnpriced, premium, videos } = settings;
  return { catalogue, providers, timeouts, allowUnpriced, premium, videos };
}

async function closeAll(providers: ReadonlyMap<string, Provider>): Promise<void> {
  const all = [...providers.values()].flatMap(({ transport, resources }) => [
    transport,
    ...(resources ? [resources] : []),
  ]);
  await Promise.all(all.map((open) => open.close()));
}
