import type { CloudAccess } from '#providers';
import type { Environment } from '../settings.ts';
import type { ProviderEntry } from '../settings-schema.ts';

/** What is said about a provider that is part of a cloud. */
export interface CloudSources {
  /** Its entry in the file, where there is one. */
  entry?: ProviderEntry | undefined;
  environment: Environment;
  workingDirectory: string;
}

/** How a cloud is reached from here. */
export interface CloudConnection {
  /** Absent where something is missing. */
  baseUrl?: string;
  /** What is missing, in words. */
  missing?: string;
  apiKey?: string;
  access: CloudAccess;
  /** The variable that brought the credential; absent where the file did, or nothing. */
  variable?: string;
}

/** A value, and the variable it came from where it is not the file's. */
export interface Value {
  value: string;
  variable?: string;
}

/** The first that says something: a value of the file, else one of the variables. */
export function choose(
  given: string | undefined,
  environment: Environment,
  names: readonly string[],
): Value | undefined {
  if (given) return { value: given };
  const variable = names.find((name) => (environment[name] ?? '').trim() !== '');
  return variable === undefined ? undefined : { value: (environment[variable] ?? '').trim(), variable };
}

/** A connection of what was found. */
export function createConnection(parts: {
  baseUrl: string | undefined;
  missing: string;
  key: Value | undefined;
  /** Another proof than a key. */
  proof: Value | undefined;
  access: CloudAccess;
}): CloudConnection {
  const { baseUrl, missing, key, access } = parts;
  const variable = (key ?? parts.proof)?.variable;
  return {
    ...(baseUrl ? { baseUrl } : { missing }),
    ...(key && { apiKey: key.value }),
    ...(variable !== undefined && { variable }),
    access,
  };
}
