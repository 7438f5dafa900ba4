import type { Accounts, Caller, PlanCatalogue, ByokTerms } from '#accounts';
import type { AddressRules } from '#base';
import type { Catalogue } from '#catalogue';
import type { Credential, LiveSettings } from '#pipeline';
import type { Provider } from '#providers';
import type { VideoSettings } from '#videos';
import type { Settings } from '../../settings/settings.ts';
import { createNetworkCheck, parseNetwork } from '#accounts';
import { extendCatalogue } from '#catalogue';
import { listOpen, openProviders } from './open-providers.ts';
import { VisibleCatalogue } from './visible-catalogue.ts';

/** The shared settings. */
interface Current extends LiveSettings {
  providers: ReadonlyMap<string, Provider>;
  pools: ReadonlyMap<string, readonly Credential[]>;
  videos: VideoSettings;
  /** Whether a proxy's forwarding header is trusted. */
  isTrustedProxy(address: string): boolean;
}

/** What can change while the gateway runs, rebuilt from each valid configuration. */
export interface LiveConfiguration {
  current: Current;
  /** The configuration it was built from. */
  readonly settings: Settings;
  /** A caller's settings: the shared ones, and its organization's own. */
  of(caller?: Pick<Caller, 'byok'>): LiveSettings;
  /** The plans on offer. */
  plans: PlanCatalogue;
  /** The configuration against which organizations' own providers are checked. */
  byokTerms: ByokTerms;
  /** Replaces the current settings; unused providers are closed once their requests have ended. */
  replace(settings: Settings): void;
  /** Replaces the catalogue that the settings extend; requests on their way keep the prices they began with. */
  rebase(catalogue: Catalogue): void;
  close(): Promise<void>;
}

type OpenCredential = Accounts['openCredential'];

export function createLiveConfiguration(
  catalogue: Catalogue,
  settings: Settings,
  openCredential: OpenCredential = refuseCredential,
): LiveConfiguration {
  let built = build(catalogue, settings, openCredential);
  let base = catalogue;
  let applied = settings;
  const rebuild = (next: Catalogue, using: Settings): void => {
    const old = built;
    built = build(next, using, openCredential);
    base = next;
    applied = using;
    for (const { transport, resources } of listOpen(old.current)) {
      void transport.drain().catch(() => undefined);
      void resources?.drain().catch(() => undefined);
    }
    old.visible.drain();
  };
  return {
    get current() {
      return built.current;
    },
    of: (caller) => (caller?.byok ? built.visible.of(caller.byok) : built.current),
    get settings() {
      return applied;
    },
    get plans() {
      return applied.plans;
    },
    get byokTerms() {
      return { ...built.current, addresses: built.addresses };
    },
    replace: (next) => rebuild(base, next),
    rebase: (next) => rebuild(next, applied),
    close: async () => {
      await Promise.all([closeAll(listOpen(built.current)), built.visible.close()]);
    },
  };
}

interface Built {
  current: Current;
  visible: VisibleCatalogue;
  addresses: AddressRules;
}

function build(base: Catalogue, settings: Settings, openCredential: OpenCredential): Built {
  const current = buildCurrent(base, settings);
  const { addresses, timeouts } = settings;
  const options = { base: current, openCredential, addresses, connectTimeoutMs: timeouts.connectMs };
  return { current, addresses, visible: new VisibleCatalogue(options) };
}

function buildCurrent(base: Catalogue, settings: Settings): Current {
  const catalogue = extendCatalogue(base, settings.providers);
  const { connectMs: _, ...timeouts } = settings.timeouts;
  const own = [...settings.providerTimeouts].map(([id, some]) => [id, { ...timeouts, ...some }] as const);
  const open = openProviders(catalogue, settings);
  const { allowUnpriced, routing, premium, videos } = settings;
  const proxies = settings.trustedProxies.map(parseNetwork).filter((network) => network !== undefined);
  const isTrustedProxy = createNetworkCheck(proxies);
  const rules = { timeouts, providerTimeouts: new Map(own), allowUnpriced, routing, premium };
  return { ...rules, ...open, catalogue, videos, isTrustedProxy };
}

function refuseCredential(): never {
  throw new Error('credentials of organizations cannot be decrypted here');
}

async function closeAll(providers: readonly Provider[]): Promise<void> {
  const all = providers.flatMap(({ transport, resources }) => [transport, ...(resources ? [resources] : [])]);
  await Promise.all(all.map((open) => open.close()));
}
