import type { CloudAccess } from '#providers';
import type { Environment } from '../settings.ts';
import type { ProviderEntry } from '../schemas/settings-schema.ts';

/** The configuration of a provider that is part of a cloud. */
export interface CloudSources {
  /** Its entry in the file, if there is one. */
  entry?: ProviderEntry | undefined;
  environment: Environment;
  workingDirectory: string;
}

/** How a cloud is called. */
export interface CloudConnection {
  /** Absent if something is missing. */
  baseUrl?: string;
  /** What is missing, as text. */
  missing?: string;
  apiKey?: string;
  access: CloudAccess;
  /** The variable with the credential; absent if the file has it, or none is set. */
  variable?: string;
}

/** A value, and its variable if it is not from the file. */
export interface CloudSetting {
  value: string;
  variable?: string;
}

/** The first value set: in the file, otherwise in one of the variables. */
export function choose(
  given: string | undefined,
  environment: Environment,
  names: readonly string[],
): CloudSetting | undefined {
  if (given) return { value: given };
  const variable = names.find((name) => (environment[name] ?? '').trim() !== '');
  return variable === undefined ? undefined : { value: (environment[variable] ?? '').trim(), variable };
}

/** Builds a connection from what was found. */
export function createConnection(parts: {
  baseUrl: string | undefined;
  missing: string;
  key: CloudSetting | undefined;
  /** A credential other than a key. */
  proof: CloudSetting | undefined;
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
