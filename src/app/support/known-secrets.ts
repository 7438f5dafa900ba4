import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getSettingsPlace } from '../settings/file/find-settings-file.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { readVariablesFromFiles } from '../settings/file/secret-file.ts';
import type { SettingsOrigin } from '../settings/settings.ts';

const REMOVED = '(removed)';
/** A shorter text would be removed from words. */
const SHORTEST = 6;
const SECRET_NAME = /key|secret|token|password|credential|headers|_url$/i;
/** Members of `sluice.yaml`, read as text because a file with a mistake is the usual reason for a bundle. */
const SECRET_MEMBER = /(?:key|secret|token|password|authorization|headers)\w*["']?\s*:\s*(.+)$/gim;
/** Keys of Sluice and of well-known providers, and passwords in addresses. */
const SHAPES = [
  /\b(?:slc|slcadm|slcst|sk|pk|rk|whsec|AIza|AKIA|ghp|xox[abp])[-_]?[A-Za-z0-9_-]{12,}/g,
  /(?<=:\/\/[^/\s"@:]*:)[^/\s"]+(?=@)/g,
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
    for (const text of listSecretTexts(settings)) add(text);
    add(readIfThere(join(settings.dataDir, 'secret')));
    add(readIfThere(join(settings.dataDir, 'postgres.password')));
  }
  for (const text of listMembers(origin)) add(text);
  return found;
}

function listPasswords(address: string): string[] {
  const [, password] = /^[a-z+]+:\/\/[^/@:]*:(.+)@/is.exec(address) ?? [];
  return password === undefined ? [] : [password, tryRead(() => decodeURIComponent(password)) ?? password];
}

/** Members of the settings that are named like secrets, and name where one comes from. */
const SOURCES = ['sources', 'credentialSources'];
/** Members that have secrets under any name, such as the path of a webhook. */
const WHOLE = ['exports', 'alerts', 'cloudAccess', 'otlp'];

/** The texts of the settings that are secrets by the name of a member. */
function listSecretTexts(value: unknown, isSecret = false): string[] {
  if (typeof value === 'string') return isSecret ? listParts(value) : [];
  if (typeof value !== 'object' || value === null) return [];
  const members: Iterable<[unknown, unknown]> = value instanceof Map ? value : Object.entries(value);
  return [...members].flatMap(([name, member]) => {
    if (typeof name !== 'string' || SOURCES.includes(name)) return [];
    return listSecretTexts(member, isSecret || SECRET_NAME.test(name) || WHOLE.includes(name));
  });
}

/** The parts of an address that may be secret; the host stays readable. */
function listParts(text: string): string[] {
  if (!URL.canParse(text)) return [text];
  const { pathname, search, username, password } = new URL(text);
  return [pathname.length > LONGEST_PLAIN_PATH ? pathname : '', search, username, password];
}

/** A longer path may be that of a webhook, which is secret as a whole. */
const LONGEST_PLAIN_PATH = 16;

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
