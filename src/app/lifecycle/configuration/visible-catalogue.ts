import type { Accounts, CustomProvider, SealedCredential, Byok } from '#accounts';
import type { AddressRules } from '#base';
import type { Catalogue, ConfiguredProvider } from '#catalogue';
import type { LiveSettings, ProviderLookup } from '#pipeline';
import type { Provider, ProviderAccess } from '#providers';
import { createLru, createPublicLookup, parseOutsideUrl } from '#base';
import { extendCatalogue } from '#catalogue';
import { GatewayError } from '#errors';
import { createProvider } from '#providers';

interface VisibleCatalogueOptions {
  base: LiveSettings;
  openCredential: Accounts['openCredential'];
  addresses: AddressRules;
  connectTimeoutMs: number;
}

const MOST_OPEN = 1_000;
const IDLE_MS = 600_000;
const NOTHING: Catalogue = { providers: new Map(), models: new Map(), names: new Map() };

/**
 * What organizations reach with their own keys and providers, in addition to the shared ones. A credential is
 * decrypted when first needed and dropped after a while without use; each has its own connections.
 */
export class VisibleCatalogue {
  readonly #options: VisibleCatalogueOptions;
  readonly #views = new WeakMap<Byok, LiveSettings>();
  readonly #open = createLru<string, Provider>(MOST_OPEN, {
    ttl: IDLE_MS,
    updateAgeOnGet: true,
    dispose: ({ transport, resources }) => {
      void transport.drain().catch(() => undefined);
      void resources?.drain().catch(() => undefined);
    },
  });

  constructor(options: VisibleCatalogueOptions) {
    this.#options = options;
  }

  of(byok: Byok): LiveSettings {
    const known = this.#views.get(byok);
    if (known) return known;
    const own = composeOwn(this.#options.base.catalogue, byok);
    const view = { ...this.#options.base, own, providers: this.#createLookup(byok, own) };
    this.#views.set(byok, view);
    return view;
  }

  /** Accepts no more requests; open ones continue. */
  drain(): void {
    this.#open.clear();
  }

  async close(): Promise<void> {
    for (const { transport, resources } of this.#open.values()) {
      await transport.close();
      await resources?.close();
    }
  }

  #createLookup(byok: Byok, own: Catalogue): ProviderLookup {
    const { base } = this.#options;
    const keys = new Map(
      byok.keys
        .filter(({ providerId }) => isKeyed(base.catalogue, providerId))
        .map((key) => [key.providerId, key]),
    );
    const customs = new Map(byok.providers.map((provider) => [provider.name, provider]));
    return {
      has: (id) => keys.has(id) || own.providers.has(id) || base.providers.has(id),
      get: (id) => {
        const key = keys.get(id);
        if (key) return this.#getKeyed(byok, key);
        const custom = own.providers.has(id) ? customs.get(id) : undefined;
        return custom ? this.#getCustom(byok, custom, own) : base.providers.get(id);
      },
    };
  }

  #getKeyed(byok: Byok, key: Byok['keys'][number]): Provider | undefined {
    const { catalogue } = this.#options.base;
    const entry = catalogue.providers.get(key.providerId);
    if (entry?.baseUrl === undefined || new URL(entry.baseUrl).origin !== key.address) {
      const detail = `the key ${key.id} was entered for ${key.address}; enter it again (npx sluice provider-keys set)`;
      const message = `the address of the provider ${key.providerId} has changed since the organization’s own key was entered; enter it again`;
      throw new GatewayError('credential_unreadable', message, { detail });
    }
    return this.#find({ byok, credential: key, catalogue, id: key.providerId }, () => ({}));
  }

  #getCustom(byok: Byok, custom: CustomProvider, own: Catalogue): Provider | undefined {
    return this.#find({ byok, credential: custom, catalogue: own, id: custom.name }, () =>
      checkAddress(custom, this.#options.addresses),
    );
  }

  #find(wanted: OwnProvider, checkAccess: () => Pick<ProviderAccess, 'lookup'>): Provider | undefined {
    const { byok, credential, catalogue, id } = wanted;
    const entry = catalogue.providers.get(id);
    const name = JSON.stringify([byok.organizationId, id, credential, entry?.format]);
    const known = this.#open.get(name);
    if (known || !entry) return known;
    const provider = createProvider(entry, {
      ...checkAccess(),
      connectTimeoutMs: this.#options.connectTimeoutMs,
      apiKey: this.#options.openCredential(byok, credential),
      credentialId: credential.id,
    });
    this.#open.purgeStale();
    if (provider) this.#open.set(name, provider);
    return provider;
  }
}

/** A provider, and the credential to call it with. */
interface OwnProvider {
  byok: Byok;
  credential: SealedCredential;
  catalogue: Catalogue;
  id: string;
}

/** Checks the address against the current configuration, which may be stricter than when it was entered. */
function checkAddress(
  { name, address }: CustomProvider,
  addresses: AddressRules,
): Pick<ProviderAccess, 'lookup'> {
  const read = parseOutsideUrl(address, addresses);
  if ('url' in read) return read.isTrusted ? {} : { lookup: createPublicLookup(addresses.resolveHost) };
  throw new GatewayError(
    'upstream_unreachable',
    `the address of the custom provider ${name} is not allowed here: it must be ${read.expected}`,
  );
}

function isKeyed({ providers }: Catalogue, providerId: string): boolean {
  const entry = providers.get(providerId);
  return entry?.baseUrl !== undefined && entry.cloud === undefined && URL.canParse(entry.baseUrl);
}

/**
 * Leaves out providers whose names the catalogue has by now: a name must not mean something else for one
 * organization.
 */
function composeOwn(catalogue: Catalogue, { providers }: Byok): Catalogue {
  const configured = providers
    .filter(({ name }) => !catalogue.providers.has(name))
    .map(({ name: provider, format, address, models }): ConfiguredProvider => ({
      id: provider,
      format,
      baseUrl: address,
      models: models.map(({ name, ...model }) => ({ ...model, id: `${provider}/${name}` })),
    }));
  return extendCatalogue(NOTHING, configured);
}
