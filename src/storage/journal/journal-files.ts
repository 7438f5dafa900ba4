import { type Stats, constants, fstatSync, statSync, write as writeWithCallback, writeSync } from 'node:fs';
import {
  type FileHandle,
  chmod,
  mkdir,
  open,
  readFile,
  readdir,
  rename,
  rm,
  truncate,
} from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A file of the journal that is being written. */
export interface JournalFile {
  append(bytes: Buffer): Promise<void>;
  /** What follows is discarded; after a power failure it may be back. */
  truncate(bytes: number): Promise<void>;
  /** Resolves when all appended data would survive a power failure. */
  sync(): Promise<void>;
  /** Whether its name still refers to it: another process may have taken it over. */
  isInPlace(): boolean;
  close(): Promise<void>;
}

/** The journal's file system; tests inject faults here. */
export interface JournalFiles {
  makeFolder(): Promise<void>;
  list(): Promise<string[]>;
  read(name: string): Promise<Buffer>;
  create(name: string): Promise<JournalFile>;
  rename(from: string, to: string): Promise<void>;
  /** To a file that exists. */
  append(name: string, bytes: Buffer): Promise<void>;
  truncate(name: string, bytes: number): Promise<void>;
  remove(name: string): Promise<void>;
  /** Syncs the folder's entries to disk. */
  syncFolder(): Promise<void>;
}

const OWNER_ONLY = 0o600;
const FOLDER_OWNER_ONLY = 0o700;

/** The real files, readable by their owner alone. */
export function openJournalFiles(folder: string): JournalFiles {
  const pathOf = (name: string): string => join(folder, name);
  return {
    makeFolder: async () => {
      await mkdir(folder, { recursive: true, mode: FOLDER_OWNER_ONLY });
      await chmod(folder, FOLDER_OWNER_ONLY).catch(() => undefined); // it may have been copied back
    },
    list: () => readdir(folder),
    read: (name) => readFile(pathOf(name)),
    create: async (name) => toJournalFile(await open(pathOf(name), 'ax', OWNER_ONLY), pathOf(name)),
    rename: (from, to) => rename(pathOf(from), pathOf(to)),
    append: async (name, bytes) => {
      const handle = await open(pathOf(name), constants.O_WRONLY | constants.O_APPEND);
      try {
        await handle.appendFile(bytes);
      } finally {
        await handle.close();
      }
    },
    truncate: (name, bytes) => truncate(pathOf(name), bytes),
    remove: (name) => rm(pathOf(name), { force: true }),
    syncFolder: async () => {
      const handle = await open(folder, 'r');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
  };
}

/** In half the time that the method of a `FileHandle` takes. */
const write = promisify(writeWithCallback);

function toJournalFile(handle: FileHandle, path: string): JournalFile {
  let opened: Stats | undefined;
  let syncs = 0;
  return {
    // A copy into the page cache takes microseconds; a thread may wait milliseconds for a processor. Beside a sync, a write may
    // wait for the disk: then a thread makes it.
    append: async (bytes) => {
      let written = 0;
      while (written < bytes.length)
        written +=
          syncs === 0
            ? writeSync(handle.fd, bytes, written)
            : (await write(handle.fd, bytes, written)).bytesWritten;
    },
    truncate: (bytes) => handle.truncate(bytes),
    sync: async () => {
      syncs += 1;
      try {
        await handle.datasync();
      } finally {
        syncs -= 1;
      }
    },
    // Called after every write: a synchronous look takes 2 µs, one in a thread 50.
    isInPlace: () => {
      const { ino, dev } = (opened ??= fstatSync(handle.fd));
      const named = statSync(path, { throwIfNoEntry: false });
      return named !== undefined && named.ino === ino && named.dev === dev;
    },
    close: () => handle.close(),
  };
}

/** Another process may have removed or taken over a file. */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
