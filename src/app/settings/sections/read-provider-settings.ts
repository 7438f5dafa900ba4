import { reasonOf } from '#base';
import type { Catalogue, CloudId, Provider } from '#catalogue';
import type { Chooser } from './choose.ts';
import type { Environment, Settings } from '../settings.ts';
import type { ParsedFile } from '../file/settings-file.ts';
import type { ProviderEntry } from '../schemas/settings-schema.ts';
import { extendCatalogue } from '#catalogue';
import type { CloudConnection } from '../clouds/cloud-connection.ts';
import { findStrayBlock, readCloud } from '../clouds/read-cloud.ts';
import {
  readCredentialSettings,
  checkCredentials,
  listNumbered,
  listUsable,
  withCredential,
} from './read-credential-settings.ts';
import { findClosest } from '../closest.ts';

type ProviderSettings = Pick<
  Settings,
  | 'providers'
  | 'credentials'
  | 'credentialSources'
  | 'credentialPools'
  | 'providerCapacities'
  | 'providerTimeouts'
  | 'providerHeaders'
  | 'cloudAccess'
>;

const HEADER_TEXT = /^[\x20-\x7e]*$/;
const DEFAULT_QUEUE = { length: 100, waitMs: 1_000 };

interface Source {
  environment: Environment;
  parsed: ParsedFile | undefined;
  file: string | undefined;
  workingDirectory: string;
}

/**
 * Providers of the file and the environment, with their credentials. The file's `apiKey` takes precedence over a
 * variable.
 */
export function readProviderSettings(
  catalogue: Catalogue,
  source: Source,
  chooser: Chooser,
): ProviderSettings {
  const settings: ProviderSettings = {
    providers: [],
    credentials: new Map(),
    credentialSources: new Map(),
    credentialPools: new Map(),
    providerCapacities: new Map(),
    providerTimeouts: new Map(),
    providerHeaders: new Map(),
    cloudAccess: new Map(),
  };
  const entries = source.parsed?.content.providers ?? [];
  for (const [index, entry] of entries.entries()) {
    const place = source.parsed?.locate(['providers', index, 'id']) ?? '';
    const message = checkEntry(catalogue, {
      entry,
      earlier: entries.slice(0, index),
      source,
    });
    if (message !== undefined) chooser.problems.push({ place, message });
    else addEntries(settings, entry, { place, cloud: cloudOf(catalogue, entry), source });
  }
  for (const provider of catalogue.providers.values())
    if (provider.cloud) addCloudFromEnvironment(settings, { id: provider.id, cloud: provider.cloud }, source);
    else addFromEnvironment(settings, provider, source.environment);
  checkKeys(settings, { chooser, place: source.file ?? '' });
  if (chooser.problems.length === 0)
    checkCatalogue(catalogue, settings, { chooser, place: source.file ?? '' });
  return settings;
}

interface Candidate {
  entry: ProviderEntry;
  earlier: readonly ProviderEntry[];
  source: Source;
}

function cloudOf(catalogue: Catalogue, entry: ProviderEntry): CloudId | undefined {
  return catalogue.providers.get(entry.id)?.cloud ?? entry.cloud;
}

function checkEntry(catalogue: Catalogue, { entry, earlier, source }: Candidate): string | undefined {
  if (earlier.some(({ id }) => id === entry.id)) return `the provider "${entry.id}" is configured twice`;
  const known = catalogue.providers.get(entry.id);
  const problem = checkCredentials(entry, known);
  if (problem !== undefined) return problem;
  const entries = entry.credentials?.map((credential) => withCredential(entry, credential)) ?? [entry];
  for (const one of entries) {
    const fault = checkAccess(catalogue, { entry: one, source });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function checkAccess(
  catalogue: Catalogue,
  { entry, source }: Omit<Candidate, 'earlier'>,
): string | undefined {
  const known = catalogue.providers.get(entry.id);
  const cloud = cloudOf(catalogue, entry);
  const stray = findStrayBlock(entry, cloud);
  if (stray !== undefined) return `"${stray}" does not apply to the provider "${entry.id}"`;
  if (cloud && (known ?? entry.format)) return checkCloud(cloud, entry, source);
  if (known) return checkAddress(known, entry, source.environment);
  if (entry.baseUrl !== undefined && entry.format !== undefined) return undefined;
  const [closest] = findClosest(entry.id, catalogue.providers.keys());
  const hint = closest === undefined ? '' : ` (did you mean "${closest}"?)`;
  return `the provider "${entry.id}" is not in the catalogue${hint}; a custom one needs "format" and "baseUrl"`;
}

function checkCloud(cloud: CloudId, entry: ProviderEntry, source: Source): string | undefined {
  const { missing } = readCloud(cloud, { ...source, entry });
  return missing === undefined ? undefined : `the address of "${entry.id}" needs ${missing}`;
}

function checkAddress(known: Provider, entry: ProviderEntry, environment: Environment): string | undefined {
  const address = entry.baseUrl ?? fillAddress(known.baseUrl, environment);
  const missing = /\$\{([A-Z0-9_]+)\}/.exec(address ?? '')?.[1];
  if (missing === undefined) return undefined;
  return `the address of "${entry.id}" needs the environment variable ${missing}, or a "baseUrl"`;
}

interface EntryPlace {
  place: string;
  cloud: CloudId | undefined;
  source: Source;
}

/** Adds a provider. Of several credentials, the first is used where only one can be. */
function addEntries(settings: ProviderSettings, entry: ProviderEntry, at: EntryPlace): void {
  const [first] = listUsable(entry);
  addEntry(settings, first ? withCredential(entry, first) : entry, at);
  if (first) settings.credentialPools.set(entry.id, readCredentialSettings(entry, at.cloud, at.source));
  const { limits = {}, queue, timeouts, credentials = [] } = entry;
  if (timeouts) settings.providerTimeouts.set(entry.id, timeouts);
  if (entry.limits || credentials.some((credential) => credential.limits))
    settings.providerCapacities.set(entry.id, { limits, queue: { ...DEFAULT_QUEUE, ...queue } });
}

function addEntry(
  settings: ProviderSettings,
  entry: ProviderEntry,
  { place, cloud, source }: EntryPlace,
): void {
  const {
    apiKey,
    headers,
    baseUrl,
    aws,
    azure,
    google,
    credentials: _,
    limits: _limits,
    queue: _queue,
    timeouts: _timeouts,
    ...provider
  } = entry;
  const configured = { ...provider, ...(baseUrl !== undefined && { baseUrl: baseUrl.replace(/\/+$/, '') }) };
  settings.providers.push(configured);
  if (apiKey !== undefined && apiKey !== '') {
    settings.credentials.set(entry.id, apiKey);
    settings.credentialSources.set(entry.id, place);
  }
  if (headers) settings.providerHeaders.set(entry.id, headers);
  if (!cloud) return;
  const connection = readCloud(cloud, { ...source, entry: { ...entry, ...configured } });
  if (connection.baseUrl !== undefined) configured.baseUrl = connection.baseUrl;
  const isReported = aws?.accessKeyId ?? azure?.clientSecret ?? google;
  addConnection(settings, entry.id, { ...connection, source: connection.variable ?? (isReported && place) });
}

/** A cloud configured only by the environment is used if both an address and a credential are found. */
function addCloudFromEnvironment(
  settings: ProviderSettings,
  { id, cloud }: { id: string; cloud: CloudId },
  source: Source,
): void {
  if (settings.providers.some((own) => own.id === id)) return;
  const connection = readCloud(cloud, { ...source, entry: undefined });
  const { baseUrl, variable } = connection;
  if (baseUrl === undefined || variable === undefined) return;
  settings.providers.push({ id, baseUrl });
  addConnection(settings, id, { ...connection, source: variable });
}

function addConnection(
  settings: ProviderSettings,
  id: string,
  { apiKey, access, source }: CloudConnection & { source: string | undefined },
): void {
  settings.cloudAccess.set(id, access);
  if (apiKey !== undefined) settings.credentials.set(id, apiKey);
  if (source !== undefined && !settings.credentialSources.has(id)) settings.credentialSources.set(id, source);
}

function addFromEnvironment(settings: ProviderSettings, provider: Provider, environment: Environment): void {
  const variable = provider.env.find((name) => (environment[name] ?? '') !== '');
  const own = settings.providers.find(({ id }) => id === provider.id);
  const isKeyed = settings.credentials.has(provider.id);
  const baseUrl = own?.baseUrl ?? fillAddress(provider.baseUrl, environment);
  // Without the variable its address needs, a provider cannot be called, whatever its key.
  if (own === undefined && (variable === undefined || baseUrl?.includes('${') === true)) return;
  if (!isKeyed && variable !== undefined) {
    settings.credentials.set(provider.id, (environment[variable] ?? '').trim());
    settings.credentialSources.set(provider.id, variable);
    const numbered = listNumbered(environment, variable);
    if (numbered.length > 0) settings.credentialPools.set(provider.id, numbered);
  }
  if (baseUrl === undefined || baseUrl === provider.baseUrl) return;
  if (own === undefined) settings.providers.push({ id: provider.id, baseUrl });
  else own.baseUrl = baseUrl;
}

function fillAddress(address: string | undefined, environment: Environment): string | undefined {
  return address?.replace(/\$\{([A-Z0-9_]+)\}/g, (reference, name: string) => environment[name] || reference);
}

/** A header cannot carry every text; a request would fail as if the provider were to blame. */
function checkKeys(
  { credentials, credentialPools, credentialSources }: ProviderSettings,
  { chooser, place }: { chooser: Chooser; place: string },
): void {
  for (const id of new Set([...credentials.keys(), ...credentialPools.keys()])) {
    const pool = credentialPools.get(id) ?? [];
    const keys = [credentials.get(id), ...pool.map(({ apiKey }) => apiKey)];
    if (keys.every((key = '') => HEADER_TEXT.test(key))) continue;
    const message = `a key of "${id}" has a line break, a control character or one outside ASCII; copy the key alone`;
    chooser.problems.push({ place: credentialSources.get(id) ?? place, message });
  }
}

/** Problems that only show together with the catalogue, such as one name for two models. */
function checkCatalogue(
  catalogue: Catalogue,
  settings: ProviderSettings,
  { chooser, place }: { chooser: Chooser; place: string },
): void {
  try {
    extendCatalogue(catalogue, settings.providers);
  } catch (error) {
    chooser.problems.push({ place, message: reasonOf(error) });
  }
}
