import type { FileSettings } from '../export-settings.ts';
import type { Batch, Destination } from '../destination.ts';
import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '#storage';

/** The file that is being written, and its length after the last batch. */
interface FileState {
  file: string;
  bytes: number;
}

const POSITION_DIGITS = 15;
const APPENDED = constants.O_WRONLY | constants.O_APPEND;

/** Appends rows to NDJSON files; each day and size has a file of its own. */
export function createFileDestination({ name, folder, rotateBytes }: FileSettings): Destination {
  return {
    deliver: async (batch, state) => {
      const current = readState(state);
      await mkdir(folder, { recursive: true, mode: 0o750 });
      const text = `${batch.lines.join('\n')}\n`;
      const isContinued = current && current.bytes < rotateBytes && current.file.includes(dayOf(batch));
      if (isContinued && (await append(join(folder, current.file), current.bytes, text)))
        return { file: current.file, bytes: current.bytes + Buffer.byteLength(text) };
      const file = `${name}-${dayOf(batch)}-${String(batch.first).padStart(POSITION_DIGITS, '0')}.ndjson`;
      await append(join(folder, file), 0, text);
      await syncFolder(folder);
      return { file, bytes: Buffer.byteLength(text) };
    },
  };
}

const dayOf = ({ firstAt }: Batch): string => new Date(firstAt).toISOString().slice(0, 10);

function readState(state: unknown): FileState | undefined {
  const { file, bytes } = (state ?? {}) as Partial<FileState>;
  return typeof file === 'string' && typeof bytes === 'number' ? { file, bytes } : undefined;
}

/**
 * Writes text at a position of a file and truncates the rest: a crashed process left it without recording it as
 * delivered. Returns false if the file is shorter, and so another one, such as on another machine.
 */
async function append(path: string, at: number, text: string): Promise<boolean> {
  const file = await open(path, at === 0 ? 'w' : APPENDED, 0o640).catch((error: unknown) => {
    if (at > 0 && error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (!file) return false;
  try {
    const { size } = await file.stat();
    if (size < at) return false;
    if (size > at) await file.truncate(at);
    await file.appendFile(text); // a single write may stop early on a full disk, without an error
    await file.datasync();
    return true;
  } finally {
    await file.close();
  }
}
