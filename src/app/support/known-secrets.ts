import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getSettingsPlace } from '../settings/find-settings-file.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { readVariablesFromFiles } from '../settings/secret-file.ts';
import type { Settings, SettingsOrigin } from '../settings/settings.ts';

const REMOVED = '(removed)';
/** A shorter text would be removed from words. */
const SHORTEST = 6;
const SECRET_NAME = /key|secret|token|password|credential|headers|_url$/i;
/** Members of `sluice.yaml`, read as text because a file with a mistake is the usual reason for a bundle. */
const SECRET_MEMBER = /(?:key|secret|token|password|authorization|headers)\w*["']?\s*:\s*(.+)$/gim;
/** Keys of Sluice and of well-known providers, and passwords in addresses. */
const SHAPES = [
  /\b(?:slc|slcadm|slcst|sk|pk|rk|whsec|AIza|AKIA|ghp|xox[abp])[-_]?[A-Za-z0-9_-]{12,}/g,
  /(?<=:\/\/[^/\s"@]*:)[^/\s"@]+(?=@)/g,
  /(?<=bearer )[^\s"]+/gi,
];

/** Removes every secret that this machine knows of from a text, and whatever looks like one. */
export async function removeSecrets(text: string, origin: SettingsOrigin): Promise<string> {
  const secrets = [...(await listSecrets(origin))].sort((one, other) => other.length - one.length);
  const known = secrets.reduce((rest, secret) => rest.replaceAll(toJsonText(secret), REMOVED), text);
  return SHAPES.reduce((rest, shape) => rest.replace(shape, REMOVED), known);
}

const toJsonText = (text: string): string => JSON.stringify(text).slice(1, -1);

async function listSecrets(origin: SettingsOrigin): Promise<Set<string>> {
  const { environment = process.env } = origin;
  const found = new Set<string>();
  const add = (value: string | undefined): void => {
    if (value === undefined) return;
    const text = value.trim();
    if (text.length >= SHORTEST) found.add(text);
    for (const password of listPasswords(text)) if (password.length >= SHORTEST) found.add(password);
  };
  const variables = readVariablesFromFiles(environment);
  for (const name of Object.keys(environment)) {
    const plain = name.replace(/_FILE$/, '');
    if (SECRET_NAME.test(plain)) add(tryRead(() => variables[plain]));
  }
  const settings = await loadSettings(origin).catch(() => undefined);
  if (settings) {
    for (const text of listTexts(pickSecrets(settings))) add(text);
    add(readIfThere(join(settings.dataDir, 'secret')));
    add(readIfThere(join(settings.dataDir, 'postgres.password')));
  }
  for (const text of listMembers(origin)) add(text);
  return found;
}

function listPasswords(address: string): string[] {
  const [, password] = /^[a-z+]+:\/\/[^/@]*?:([^/@]+)@/i.exec(address) ?? [];
  return password === undefined ? [] : [password, tryRead(() => decodeURIComponent(password)) ?? password];
}

/** The parts of the settings that hold secrets. */
function pickSecrets(settings: Settings): unknown[] {
  const { credentials, credentialPools, providerHeaders, cloudAccess, otlp, secret } = settings;
  const pools = [...credentialPools.values()].flat().map(({ apiKey, headers }) => [apiKey, headers]);
  const clouds = [...cloudAccess.values()];
  return [
    [...credentials.values()],
    pools,
    [...providerHeaders.values()],
    clouds,
    otlp?.headers,
    secret,
    settings.exports,
  ];
}

function listTexts(value: unknown): string[] {
  if (typeof value === 'string') return /^[a-z0-9+]+:\/\/[^@]*$/i.test(value) ? [] : [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listTexts);
}

/** What follows a member of the configuration file that names a secret, whether or not the file is valid. */
function listMembers(origin: SettingsOrigin): string[] {
  const { flags = {}, environment = process.env, workingDirectory = process.cwd() } = origin;
  const { path } = getSettingsPlace({ flags, environment, workingDirectory });
  const text = readIfThere(path) ?? '';
  return [...text.matchAll(SECRET_MEMBER)].flatMap(([, value = '']) =>
    value.split(/[\s"',{}[\]]+/).filter((part) => !part.startsWith('${') && !part.endsWith(':')),
  );
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? tryRead(() => readFileSync(path, 'utf8')) : undefined;
}

function tryRead<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
