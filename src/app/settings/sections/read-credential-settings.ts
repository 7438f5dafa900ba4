import type { CloudId, Provider } from '#catalogue';
import type { CredentialSettings, Environment } from '../settings.ts';
import type { CloudSources } from '../clouds/cloud-connection.ts';
import type { ProviderEntry } from '../schemas/settings-schema.ts';
import { DEFAULT_CREDENTIAL } from '#catalogue';
import { readCloud } from '../clouds/read-cloud.ts';

type CredentialEntry = NonNullable<ProviderEntry['credentials']>[number];

/** A variable such as `OPENAI_API_KEY` may have numbered ones next to it, up to `OPENAI_API_KEY_9`. */
const MOST_NUMBERED = 9;

/** What is wrong with the credentials of an entry, if anything. */
export function checkCredentials(entry: ProviderEntry, known: Provider | undefined): string | undefined {
  const { id, credentials = [] } = entry;
  if (credentials.length === 0) return undefined;
  if (entry.apiKey !== undefined) return `the "apiKey" of "${id}" belongs into its "credentials"`;
  const names = credentials.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) return `the credential "${twice}" of "${id}" is configured twice`;
  if (!known || known.cloud || known.env.length === 0) return undefined;
  const bare = credentials.find(({ apiKey, headers }) => apiKey === undefined && headers === undefined);
  return bare && `the credential "${bare.name}" of "${id}" needs an "apiKey"`;
}

/** The credentials of an entry that have what they need: a key may be an optional variable. */
export function listUsable({ credentials = [] }: ProviderEntry): CredentialEntry[] {
  return credentials.filter(({ apiKey }) => apiKey !== '');
}

/** An entry as it is with one of its credentials, whose members go before its own. */
export function withCredential(entry: ProviderEntry, credential: CredentialEntry): ProviderEntry {
  const { credentials: _, ...shared } = entry;
  const { name: _name, weight: _weight, limits: _limits, headers, aws, azure, google, ...own } = credential;
  return {
    ...shared,
    ...own,
    ...((headers ?? entry.headers) && { headers: { ...entry.headers, ...headers } }),
    ...((aws ?? entry.aws) && { aws: { ...entry.aws, ...aws } }),
    ...((azure ?? entry.azure) && { azure: { ...entry.azure, ...azure } }),
    ...((google ?? entry.google) && { google: { ...entry.google, ...google } }),
  };
}

/** The credentials of an entry as they are called. */
export function readCredentialSettings(
  entry: ProviderEntry,
  cloud: CloudId | undefined,
  source: Omit<CloudSources, 'entry'>,
): CredentialSettings[] {
  return listUsable(entry).map((credential) => {
    const { apiKey, headers, baseUrl } = withCredential(entry, credential);
    const connection = cloud && readCloud(cloud, { ...source, entry: withCredential(entry, credential) });
    const key = connection?.apiKey ?? apiKey;
    const address = connection?.baseUrl ?? baseUrl?.replace(/\/+$/, '');
    return {
      name: credential.name,
      weight: credential.weight ?? 1,
      ...(key !== undefined && { apiKey: key }),
      ...(headers && { headers }),
      ...(address !== undefined && { baseUrl: address }),
      ...(connection && { cloudAccess: connection.access }),
      ...(credential.limits && { limits: credential.limits }),
    };
  });
}

/** The keys of a variable and the numbered ones next to it; empty if there is only the first. */
export function listNumbered(environment: Environment, variable: string): CredentialSettings[] {
  const keys = new Map([[DEFAULT_CREDENTIAL, environment[variable]]]);
  for (let number = 2; number <= MOST_NUMBERED; number += 1)
    keys.set(String(number), environment[`${variable}_${number}`]);
  const set = [...keys].flatMap(([name, key]) => {
    const apiKey = key?.trim() ?? '';
    return apiKey === '' ? [] : [{ name, weight: 1, apiKey }];
  });
  return set.length > 1 ? set : [];
}
