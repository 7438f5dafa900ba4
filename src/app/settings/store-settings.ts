import type { Settings, SettingsOrigin } from './settings.ts';
import { type SettingCandidate, Chooser, readVariable } from './sections/choose.ts';
import { resolve } from 'node:path';
import { readVariablesFromFiles } from './file/secret-file.ts';
import { SettingsError } from './settings-problem.ts';

/**
 * Where the data of an installation is. None of it is in the configuration file except the limits of the log and
 * the ledger's behaviour, which only a gateway needs.
 */
export type StoreSettings = Pick<
  Settings,
  'dataDir' | 'databaseUrl' | 'databaseWaitMs' | 'redisUrl' | 'secret'
> &
  Partial<Pick<Settings, 'logLimits' | 'isStrictlyDurable' | 'hasLeases'>>;

const SHORTEST_SECRET = 32;
const LONGEST_DATABASE_WAIT_MS = 60_000;

/** The settings of a command that only works on the data. */
export function loadStoreSettings(origin: SettingsOrigin): StoreSettings {
  const chooser = new Chooser();
  const environment = readVariablesFromFiles(origin.environment ?? process.env);
  const settings = chooseStores({ ...origin, environment }, chooser);
  if (chooser.problems.length > 0) throw new SettingsError(chooser.problems);
  return settings;
}

export function chooseStores(origin: SettingsOrigin, chooser: Chooser): StoreSettings {
  const { flags = {}, environment = process.env, workingDirectory = process.cwd() } = origin;
  const directories: SettingCandidate<string>[] = [
    { value: flags.dataDir, source: '--data-dir' },
    readVariable(environment, 'SLUICE_DATA_DIR'),
  ];
  const dataDir = resolve(workingDirectory, chooser.choose('dataDir', directories, './data'));
  const read = (
    name: string,
    rule: (text: string) => string | undefined,
    expected: string,
  ): string | undefined =>
    chooser.find(name, [chooser.read(readVariable(environment, name), rule, expected)]);
  const databaseUrl = read(
    'DATABASE_URL',
    readDatabaseUrl,
    'an address such as postgres://user:password@host:5432/sluice',
  );
  const databaseWaitMs = chooser.find('SLUICE_DATABASE_WAIT_MS', [
    chooser.read(
      readVariable(environment, 'SLUICE_DATABASE_WAIT_MS'),
      readWait,
      `a number of milliseconds up to ${LONGEST_DATABASE_WAIT_MS}`,
    ),
  ]);
  const redisUrl = read('REDIS_URL', readRedisUrl, 'an address such as redis://host:6379');
  const secret = read('SLUICE_SECRET', readSecret, `a text of ${SHORTEST_SECRET} characters or more`);
  return {
    dataDir,
    ...(databaseUrl !== undefined && { databaseUrl }),
    ...(databaseWaitMs !== undefined && { databaseWaitMs }),
    ...(redisUrl !== undefined && { redisUrl }),
    ...(secret !== undefined && { secret }),
  };
}

/** The address of a PostgreSQL; `undefined` if it is none. */
export function readDatabaseUrl(text: string): string | undefined {
  return /^postgres(ql)?:\/\/./.test(text) ? text : undefined;
}

function readWait(text: string): number | undefined {
  const ms = Number(text);
  return /^\d+$/.test(text) && ms > 0 && ms <= LONGEST_DATABASE_WAIT_MS ? ms : undefined;
}

function readRedisUrl(text: string): string | undefined {
  return /^rediss?:\/\/./.test(text) && URL.canParse(text) ? text : undefined;
}

function readSecret(text: string): string | undefined {
  return text.trim().length >= SHORTEST_SECRET ? text.trim() : undefined;
}
