import type { Finding } from './finding.ts';
import { countConnections, readDescriptorLimit } from '../settings/descriptors.ts';
import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const NODE = 24;
const LITTLE_SPACE_MB = 1024;
const NO_SPACE_MB = 100;
const CLOCK_TOLERANCE_MS = 5_000;
const { S_IRWXG: GROUP, S_IRWXO: OTHERS } = constants;
const SET_GROUP_ID = 0o2000;

export function checkNode(version = process.versions.node): Finding {
  const name = 'node';
  if (Number(version.split('.')[0]) >= NODE) return { name, state: 'ok', message: `Node ${version}` };
  return {
    name,
    state: 'problem',
    message: `this is Node ${version}; Sluice needs ${NODE} or newer: install a newer one`,
  };
}

/** Whether this user can use the data directory, or create it. */
export function checkDirectory(dataDir: string): Finding {
  const name = 'data directory';
  const place = findExisting(dataDir);
  if (!statSync(place).isDirectory()) {
    return { name, state: 'problem', message: `${place} is a file; name a folder with --data-dir` };
  }
  try {
    accessSync(place, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EROFS')
      return {
        name,
        state: 'problem',
        message: `${place} is on a file system that is mounted read-only; use another with --data-dir`,
      };
    const owner = statSync(place).uid;
    const message = `${place} belongs to user ${owner} and this user cannot write there; change its owner, or use --data-dir`;
    return { name, state: 'problem', message };
  }
  if (place !== dataDir) return { name, state: 'ok', message: `${dataDir} will be created` };
  if (isOpen(statSync(place).mode)) {
    const message = `${place} is open to other users of this machine; close it with chmod 700, or store only Sluice’s data there`;
    return { name, state: 'warning', message };
  }
  return { name, state: 'ok', message: dataDir };
}

/** A setgid folder is shared on purpose, as Kubernetes does for `fsGroup`. */
function isOpen(mode: number): boolean {
  return (mode & OTHERS) !== 0 || ((mode & GROUP) !== 0 && (mode & SET_GROUP_ID) === 0);
}

export function checkSpace(dataDir: string): Finding {
  const name = 'disk space';
  const { bavail, bsize } = statfsSync(findExisting(dataDir));
  const free = Math.floor((bavail * bsize) / 2 ** 20);
  const message = `${free} MB are free`;
  if (free < NO_SPACE_MB)
    return { name, state: 'problem', message: `only ${message}; the database cannot write: free some space` };
  if (free < LITTLE_SPACE_MB) return { name, state: 'warning', message: `only ${message}; free some space` };
  return { name, state: 'ok', message };
}

/** Connections to callers and providers share the descriptors of the process. */
export function checkDescriptors(maxConnections: number, descriptors = readDescriptorLimit()): Finding {
  const name = 'file descriptors';
  const most = countConnections(descriptors);
  if (maxConnections > most) {
    const message = `server.maxConnections is ${maxConnections}, and ${descriptors} descriptors are enough for ${most}; raise ulimit -n, or lower it`;
    return { name, state: 'warning', message };
  }
  return { name, state: 'ok', message: `enough for ${maxConnections} connections of callers` };
}

/** The nearest existing folder above a path. */
function findExisting(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : findExisting(dirname(path));
}

/** Expiry and windows use the database's clock; a machine that differs displays wrong times. */
export function checkClock(serverNow: number, now = Date.now()): Finding {
  const name = 'clock';
  const offMs = Math.abs(now - serverNow);
  if (offMs < CLOCK_TOLERANCE_MS) return { name, state: 'ok', message: 'agrees with the database’s' };
  const seconds = Math.round(offMs / 1_000);
  return {
    name,
    state: 'warning',
    message: `differs from the database’s by ${seconds} s; switch on time synchronisation`,
  };
}
