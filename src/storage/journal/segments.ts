import type { Log } from '#telemetry';
import type { JournalFiles } from './journal-files.ts';
import { scanRecords } from './record-codec.ts';
import { findHeader, isSegment, isUnfinished } from './segment-name.ts';

/** One file of a journal. */
export interface Segment {
  name: string;
  /** Unconfirmed records. */
  open: number;
  bytes: number;
  damaged: number;
}

interface ClaimedSegment extends Segment {
  texts: string[];
}

interface ClaimOptions {
  installation: string;
  log: Log;
  createName(): string;
}

/**
 * Takes over the files of earlier processes by renaming them. A process that is still writing one notices this at its
 * next record and opens another, so that no file is written to after it was read and removed.
 */
export async function claimSegments(files: JournalFiles, options: ClaimOptions): Promise<ClaimedSegment[]> {
  const claimed: ClaimedSegment[] = [];
  for (const name of (await files.list()).filter(isSegment).sort()) {
    const segment = await claimSegment(files, { ...options, name });
    if (segment) claimed.push(segment);
  }
  return claimed;
}

async function claimSegment(
  files: JournalFiles,
  { installation, log, createName, name: file }: ClaimOptions & { name: string },
): Promise<ClaimedSegment | undefined> {
  const found = await files.read(file).catch(ignoreMissing);
  if (!found) return undefined;
  const header = findHeader(found);
  if (!header && isUnfinished(found)) {
    await files.remove(file);
    return undefined;
  }
  if (header?.installation !== installation) {
    log.error({ file }, 'a file of the journal belongs to another database; it is ignored');
    return undefined;
  }
  const name = createName();
  const isMine = await files.rename(file, name).then(() => true, ignoreMissing);
  if (isMine !== true) return undefined;
  const bytes = await files.read(name); // again: it may have grown before it was renamed
  const { texts, damaged, tornBytes, wholeBytes } = scanRecords(bytes, header.bytes);
  if (tornBytes > 0) {
    log.warn({ file, tornBytes }, 'the last write to the journal was never finished; it is discarded');
    await files.truncate(name, wholeBytes);
  }
  if (damaged > 0) log.error({ file: name, damaged }, 'records of the journal are damaged');
  if (texts.length === 0 && damaged === 0) await files.remove(name);
  return texts.length === 0 ? undefined : { name, open: texts.length, bytes: wholeBytes, damaged, texts };
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
