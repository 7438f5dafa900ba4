import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '#base';
import { isAlive } from '#storage';

/** A gateway running on a data directory of this machine. */
interface Running {
  url: string;
  pid: number;
  /** A model that it can serve. */
  model?: string;
  /** The model Claude Code must be configured with; absent if the Claude models are served. */
  claudeModel?: string;
}

const FILE = 'gateway.json';

/**
 * Writes a file for commands of this machine: where the gateway of a data directory listens. With an external
 * database and the secret in the environment the directory may be missing on a read-only file system; then nothing is
 * written.
 */
export function recordRunning(dataDir: string, running: Omit<Running, 'pid'>): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    const path = join(dataDir, FILE);
    const draft = `${path}.${process.pid}`;
    rmSync(draft, { force: true });
    writeFileSync(draft, `${JSON.stringify({ ...running, pid: process.pid })}\n`, { flag: 'wx' });
    renameSync(draft, path); // atomic, and never through a link
  } catch {
    return; // a read-only file system
  }
}

export function removeRunning(dataDir: string): void {
  if (findRunning(dataDir)?.pid === process.pid) rmSync(join(dataDir, FILE), { force: true });
}

/** The gateway of a data directory, if its process is running. */
export function findRunning(dataDir: string): Running | undefined {
  let running: unknown;
  try {
    running = JSON.parse(readFileSync(join(dataDir, FILE), 'utf8'));
  } catch {
    return undefined;
  }
  if (!isJsonObject(running) || typeof running['url'] !== 'string' || typeof running['pid'] !== 'number')
    return undefined;
  if (!isAlive(running['pid'])) return undefined;
  const { url, pid, model, claudeModel } = running;
  return {
    url,
    pid,
    ...(typeof model === 'string' && { model }),
    ...(typeof claudeModel === 'string' && { claudeModel }),
  };
}
