import type { Settings, SettingsOrigin } from '../settings/settings.ts';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { extendCatalogue } from '#catalogue';
import { createLog } from '#telemetry';
import { getBaseCatalogue } from '../settings/base-catalogue.ts';
import { getClientKey } from './client-key.ts';
import { findClaudeModel } from '../clients/claude-code.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { toReachableUrl } from '../doctor/announcement.ts';
import { findRunning } from '../doctor/running.ts';
import { openStores } from '../lifecycle/stores/stores.ts';
import { ECHO_MODEL, suggestModel } from '../settings/suggest-model.ts';

interface ClientOptions {
  /** An API key; otherwise SLUICE_API_KEY, otherwise the client's own, which is created once. */
  key?: string;
  /** The address of the gateway; otherwise the running one's, otherwise where it would listen. */
  url?: string;
  /** The label of the client's own key. */
  label: string;
}

/** What a client needs to call this gateway. */
export interface ClientAccess {
  url: string;
  apiKey: string;
  dataDir: string;
  /** The id of the key, if one was created. */
  createdKeyId?: string;
  /** Whether a gateway runs at the address, as far as this machine can determine. */
  running: boolean;
  /** A model that it can serve, as far as this machine can determine. */
  model: string;
  /** The model Claude Code must be configured with; absent if the Claude models are served. */
  claudeModel?: string;
}

/** Finds the gateway and a key for a client of this machine. */
export async function prepareClient(origin: SettingsOrigin, options: ClientOptions): Promise<ClientAccess> {
  const { environment = process.env } = origin;
  const settings = await loadSettings(origin, 'show');
  const running = findRunning(settings.dataDir);
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const url = options.url ?? running?.url ?? toReachableUrl(`http://${host}:${settings.port}`);
  const given = options.key ?? (environment['SLUICE_API_KEY'] || undefined);
  // A running gateway has its own providers; this shell's environment may differ.
  const guess = running?.model === undefined ? await guessModels(settings) : undefined;
  const claudeModel = running ? running.claudeModel : guess?.claudeModel;
  const access = {
    url: url.replace(/\/+$/, ''),
    dataDir: settings.dataDir,
    running: options.url !== undefined || running !== undefined,
    model: running?.model ?? guess?.model ?? ECHO_MODEL,
    ...(claudeModel !== undefined && { claudeModel }),
  };
  if (given !== undefined) return { ...access, apiKey: given };
  await using stores = await openStores(settings, { role: 'command', log: createLog('error') });
  const { dataDir } = settings;
  const { secret, createdKeyId } = await getClientKey(stores.accounts, { dataDir, label: options.label });
  return { ...access, apiKey: secret, ...(createdKeyId !== undefined && { createdKeyId }) };
}

async function guessModels(settings: Settings): Promise<{ model: string; claudeModel?: string | undefined }> {
  const catalogue = extendCatalogue(await getBaseCatalogue(), settings.providers);
  const now = Date.now();
  return {
    model: suggestModel(catalogue, settings, now),
    claudeModel: findClaudeModel(catalogue, settings, now),
  };
}

/** Whether this process has a variable that the client would prefer. */
export function hasVariable(name: string): boolean {
  return (process.env[name] ?? '') !== '';
}

/** Whether a program is in the shell's search path. */
export function isInstalled(file: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, file)));
}

/** Runs a program in the foreground and returns its exit code; `undefined` if it is not installed. */
export async function runProgram(
  file: string,
  args: readonly string[],
  variables: { set: Record<string, string>; unset: readonly string[] },
): Promise<number | undefined> {
  const environment: NodeJS.ProcessEnv = { ...process.env, ...variables.set };
  for (const name of variables.unset) Reflect.deleteProperty(environment, name);
  const child = spawn(file, [...args], { stdio: 'inherit', env: environment });
  // The terminal sends its signals to the program as well, which handles them.
  const ignore = (): void => undefined;
  const pass = (): void => void child.kill('SIGTERM');
  process.on('SIGINT', ignore);
  process.on('SIGTERM', pass);
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  child.once('error', (error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? resolve(undefined) : reject(error),
  );
  child.once('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : 130)));
  return promise.finally(() => {
    process.off('SIGINT', ignore);
    process.off('SIGTERM', pass);
  });
}
