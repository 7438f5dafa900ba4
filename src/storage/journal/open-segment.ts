import type { JournalFile, JournalFiles } from './journal-files.ts';
import { encodeHeader } from './segment-name.ts';
import { type Segment, createSegment } from './segments.ts';

/** The file that takes new records. */
export interface OpenSegment extends Segment {
  file: JournalFile;
  headerBytes: number;
  /** It has records that are only written; a sync is under way. */
  isUnsynced: boolean;
}

interface SegmentStart {
  name: string;
  installation: string;
  /** Its first record. */
  record?: Buffer;
}

/** Durable, with its name. Nothing of it is left if it fails. */
export async function openSegment(
  files: JournalFiles,
  { name, installation, record = Buffer.alloc(0) }: SegmentStart,
): Promise<OpenSegment> {
  let file: JournalFile | undefined;
  try {
    file = await files.create(name);
    const header = encodeHeader(installation);
    await file.append(Buffer.concat([header, record]));
    await file.sync();
    await files.syncFolder();
    return { ...createSegment(name), file, headerBytes: header.length, isUnsynced: false };
  } catch (error) {
    await file?.close().catch(() => undefined);
    if (file) await files.remove(name).catch(() => undefined);
    throw error;
  }
}

/**
 * Returns whether it is empty now. Its records are all confirmed: none is missing if it is not, or is no longer after a
 * power failure.
 */
export async function emptySegment({ file, headerBytes }: OpenSegment): Promise<boolean> {
  try {
    await file.truncate(headerBytes);
    return true;
  } catch {
    return false;
  }
}
