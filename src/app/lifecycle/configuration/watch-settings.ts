import { reasonOf } from '#base';
import type { Log } from '#telemetry';
import type { Settings, SettingsOrigin } from '../../settings/settings.ts';
import { type FSWatcher, watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { getSettingsPlace } from '../../settings/file/find-settings-file.ts';
import { loadSettings } from '../../settings/load-settings.ts';

const SETTLE_MS = 100;
/** Settings that are only read at the start. */
const FIXED = [
  'dataDir',
  'host',
  'port',
  'databaseUrl',
  'redisUrl',
  'secret',
  'drainMs',
  'logLevel',
] as const;

interface WatchOptions {
  settings: Settings;
  /** The source of `settings`. */
  origin: SettingsOrigin;
  log: Log;
  onChange(settings: Settings): void;
}

/**
 * Rereads the configuration file after each edit. After an invalid edit, or if the file is missing, the last valid
 * settings stay in force. Watches the folder, because editors and deployments replace the file.
 */
export function watchSettings(options: WatchOptions): Disposable {
  const { origin, log } = options;
  const { environment = process.env, flags = {}, workingDirectory = process.cwd() } = origin;
  const { path, name } = getSettingsPlace({ flags, environment, workingDirectory });
  let current = options.settings;
  let seen = current.fileText;
  let timer: NodeJS.Timeout | undefined;
  let reading = Promise.resolve();

  const reload = async (): Promise<void> => {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined || text === seen) return;
    seen = text;
    try {
      const next = await loadSettings(origin);
      reportFixed(current, next, log);
      current = next;
      options.onChange(next);
      log.info({ file: name }, 'the configuration was read again');
    } catch (error) {
      const reason = reasonOf(error);
      log.error(
        { file: name, reason },
        'the edited configuration is invalid; the last valid one stays in force',
      );
    }
  };
  const notice = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      reading = reading.then(reload);
    }, SETTLE_MS);
  };
  const watcher = openWatcher(dirname(path), { file: basename(path), notice, log });
  notice(); // for an edit since the settings were read
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      watcher?.close();
    },
  };
}

interface WatcherOptions {
  file: string;
  notice(): void;
  log: Log;
}

function openWatcher(directory: string, { file, notice, log }: WatcherOptions): FSWatcher | undefined {
  try {
    // A mounted folder swaps a link next to the file (`..data`), so those names count as well.
    const watcher = watch(directory, { persistent: false }, (_event, changed) => {
      if (changed === null || changed === file || changed.startsWith('..')) notice();
    });
    watcher.on('error', (error) =>
      log.warn({ reason: error.message }, 'edits of the configuration are no longer noticed'),
    );
    return watcher;
  } catch (error) {
    const reason = reasonOf(error);
    log.warn({ reason }, 'edits of the configuration will not be noticed before a restart');
    return undefined;
  }
}

function reportFixed(current: Settings, next: Settings, log: Log): void {
  const changed = FIXED.filter((name) => current[name] !== next[name]);
  if (changed.length > 0)
    log.warn({ settings: changed.join(', ') }, 'these settings take effect at the next start');
}
