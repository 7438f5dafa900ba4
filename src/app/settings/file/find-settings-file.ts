import { reasonOf } from '#base';
import type { Environment, SettingsFlags } from '../settings.ts';
import { existsSync } from 'node:fs';
import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { SettingsError } from '../settings-problem.ts';

const FILE_NAME = 'sluice.yaml';

/** A configuration file on this machine. */
interface SettingsFilePlace {
  path: string;
  /** Its name in messages: relative if that is shorter. */
  name: string;
}

interface SettingsFileSearch {
  flags: SettingsFlags;
  environment: Environment;
  workingDirectory: string;
}

/** The requested file, otherwise `sluice.yaml` in the working directory if it exists. */
export function findSettingsFile(place: SettingsFileSearch): SettingsFilePlace | undefined {
  const found = getSettingsPlace(place);
  if (found.isAskedFor && !existsSync(found.path)) {
    throw new SettingsError([
      { place: found.source, message: `there is no file ${found.path}; create it, or name another` },
    ]);
  }
  return existsSync(found.path) ? found : undefined;
}

/** Where the configuration file is or would be. */
export function getSettingsPlace({
  flags,
  environment,
  workingDirectory,
}: SettingsFileSearch): SettingsFilePlace & {
  isAskedFor: boolean;
  source: string;
} {
  const asked = flags.config ?? (environment['SLUICE_CONFIG'] || undefined);
  const path = resolve(workingDirectory, asked ?? FILE_NAME);
  const near = relative(workingDirectory, path);
  return {
    path,
    name: near.startsWith('..') ? path : near,
    isAskedFor: asked !== undefined,
    source: flags.config === undefined ? 'SLUICE_CONFIG' : '--config',
  };
}

export async function readSettingsText({ path, name }: SettingsFilePlace): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const reason = reasonOf(error);
    throw new SettingsError([{ place: name, message: `cannot be read (${reason})` }]);
  }
  // Editors of Windows write UTF-16, in which each letter has a zero byte.
  if (!isUtf8(bytes) || bytes.includes(0))
    throw new SettingsError([{ place: name, message: 'is not UTF-8 text; save it as UTF-8' }]);
  return bytes.toString('utf8');
}
