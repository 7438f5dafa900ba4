import { type JournalFile, type JournalFiles, openJournalFiles } from '#storage';

/** Real files on a disk that fails on demand. */
export interface FaultyFiles {
  files: JournalFiles;
  /** `full`: a write is cut in the middle. `broken`: written data does not become durable. */
  state: 'well' | 'full' | 'broken';
  /** Writes and syncs so far, and the syncs attempted on a file after a failed one. */
  writes: number;
  syncs: number;
  syncsAfterFailure: number;
  /** Files that are open. */
  open: number;
  /** Awaited before each sync. */
  beforeSync(): Promise<void>;
  /** Closes the files of processes that a test has killed. */
  closeAll(): Promise<void>;
}

export function createFaultyFiles(folder: string): FaultyFiles {
  const real = openJournalFiles(folder);
  const opened: JournalFile[] = [];
  const faulty: FaultyFiles = {
    files: real,
    state: 'well',
    writes: 0,
    syncs: 0,
    syncsAfterFailure: 0,
    open: 0,
    beforeSync: async () => undefined,
    closeAll: async () => {
      for (const file of opened) await file.close();
    },
  };
  const create = async (name: string): Promise<JournalFile> => {
    const file = await real.create(name);
    opened.push(file);
    faulty.open += 1;
    return spoil(faulty, file);
  };
  const append: JournalFiles['append'] = (name, bytes) =>
    write(faulty, bytes, (some) => real.append(name, some));
  faulty.files = { ...real, create, append };
  return faulty;
}

function spoil(faulty: FaultyFiles, file: JournalFile): JournalFile {
  let hasFailed = false;
  return {
    ...file,
    append: (bytes) => write(faulty, bytes, (some) => file.append(some)),
    sync: async () => {
      faulty.syncs += 1;
      if (hasFailed) faulty.syncsAfterFailure += 1;
      await faulty.beforeSync();
      if (faulty.state !== 'broken') return file.sync();
      hasFailed = true;
      throw createFault('EIO', 'i/o error');
    },
    close: async () => {
      faulty.open -= 1;
      await file.close();
    },
  };
}

async function write(
  faulty: FaultyFiles,
  bytes: Buffer,
  append: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  faulty.writes += 1;
  if (faulty.state !== 'full') return append(bytes);
  await append(bytes.subarray(0, bytes.length / 2));
  throw createFault('ENOSPC', 'no space left on device');
}

function createFault(code: string, message: string): Error {
  return Object.assign(new Error(`${code}: ${message}`), { code });
}
