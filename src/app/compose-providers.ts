import type { Catalogue, Provider } from '#catalogue';
import type { Chooser } from './choose.ts';
import type { Environment, Settings } from './settings.ts';
import type { ParsedFile } from './settings-file.ts';
import type { ProviderEntry } from './settings-schema.ts';
import { extendCatalogue } from '#catalogue';
import { findClosest } from './closest.ts';

type ProviderSettings = Pick<Settings, 'providers' | 'credentials' | 'credentialSources' | 'providerHeaders'>;

interface Source {
  environment: Environment;
  parsed: ParsedFile | undefined;
  file: string | undefined;
}

/** Providers of the file and of the environment, with their credentials. The file's `apiKey` comes before a variable. */
export function composeProviders(catalogue: Catalogue, source: Source, chooser: Chooser): ProviderSettings {
  const settings: ProviderSettings = {
    providers: [],
    credentials: new Map(),
    credentialSources: new Map(),
    providerHeaders: new Map(),
  };
  const entries = source.parsed?.content.providers ?? [];
  for (const [index, entry] of entries.entries()) {
    const place = source.parsed?.locate(['providers', index, 'id']) ?? '';
    const message = judge(catalogue, {
      entry,
      earlier: entries.slice(0, index),
      environment: source.environment,
    });
    if (message !== undefined) chooser.problems.push({ place, message });
    else addEntry(settings, entry, place);
  }
  for (const provider of catalogue.providers.values())
    addFromEnvironment(settings, provider, source.environment);
  if (chooser.problems.length === 0)
    checkCatalogue(catalogue, settings, { chooser, place: source.file ?? '' });
  return settings;
}

interface Candidate {
  entry: ProviderEntry;
  earlier: readonly ProviderEntry[];
  environment: Environment;
}

function judge(catalogue: Catalogue, { entry, earlier, environment }: Candidate): string | undefined {
  if (earlier.some(({ id }) => id === entry.id)) return `the provider "${entry.id}" is configured twice`;
  const known = catalogue.providers.get(entry.id);
  if (known) return judgeAddress(known, entry, environment);
  if (entry.baseUrl !== undefined && entry.format !== undefined) return undefined;
  const [closest] = findClosest(entry.id, catalogue.providers.keys());
  const hint = closest === undefined ? '' : ` (did you mean "${closest}"?)`;
  return `the provider "${entry.id}" is not in the catalogue${hint}; one of your own needs "format" and "baseUrl"`;
}

function judgeAddress(known: Provider, entry: ProviderEntry, environment: Environment): string | undefined {
  const address = entry.baseUrl ?? fillAddress(known.baseUrl, environment);
  const missing = /\$\{([A-Z0-9_]+)\}/.exec(address ?? '')?.[1];
  if (missing === undefined) return undefined;
  return `the address of "${entry.id}" needs the environment variable ${missing}, or give it a "baseUrl"`;
}

function addEntry(settings: ProviderSettings, entry: ProviderEntry, place: string): void {
  const { apiKey, headers, baseUrl, ...provider } = entry;
  const configured = { ...provider, ...(baseUrl !== undefined && { baseUrl: baseUrl.replace(/\/+$/, '') }) };
  settings.providers.push(configured);
  if (apiKey !== undefined && apiKey !== '') {
    settings.credentials.set(entry.id, apiKey);
    settings.credentialSources.set(entry.id, place);
  }
  if (headers) settings.providerHeaders.set(entry.id, headers);
}

function addFromEnvironment(settings: ProviderSettings, provider: Provider, environment: Environment): void {
  const variable = provider.env.find((name) => (environment[name] ?? '') !== '');
  const own = settings.providers.find(({ id }) => id === provider.id);
  const isKeyed = settings.credentials.has(provider.id);
  const baseUrl = own?.baseUrl ?? fillAddress(provider.baseUrl, environment);
  // Without the variable its address needs, a provider is not usable, whatever its key.
  if (own === undefined && (variable === undefined || baseUrl?.includes('${') === true)) return;
  if (!isKeyed && variable !== undefined) {
    settings.credentials.set(provider.id, (environment[variable] ?? '').trim());
    settings.credentialSources.set(provider.id, variable);
  }
  if (baseUrl === undefined || baseUrl === provider.baseUrl) return;
  if (own === undefined) settings.providers.push({ id: provider.id, baseUrl });
  else own.baseUrl = baseUrl;
}

function fillAddress(address: string | undefined, environment: Environment): string | undefined {
  return address?.replace(/\$\{([A-Z0-9_]+)\}/g, (reference, name: string) => environment[name] || reference);
}

/** What only the join with the catalogue shows, such as one name for two models. */
function checkCatalogue(
  catalogue: Catalogue,
  settings: ProviderSettings,
  { chooser, place }: { chooser: Chooser; place: string },
): void {
  try {
    extendCatalogue(catalogue, settings.providers);
  } catch (error) {
    chooser.problems.push({ place, message: error instanceof Error ? error.message : String(error) });
  }
}
