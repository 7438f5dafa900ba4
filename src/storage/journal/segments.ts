import type { Log } from '#telemetry';
import { type JournalFiles, ignoreMissing } from './journal-files.ts';
import { encodeConfirmed, scanRecords } from './record-codec.ts';
import { findHeader, isSegment, isUnfinished, nameDamaged } from './segment-name.ts';

/** One file of a journal. */
export interface Segment {
  name: string;
  /** How many of its records are not confirmed. */
  unconfirmed: number;
  bytes: number;
  damaged: number;
  /** Places of confirmed records that are not marked in the file. */
  confirmed: number[];
  /** A write or sync failed: it is not written again. */
  isBroken: boolean;
}

interface ClaimedSegment extends Segment {
  records: ReadonlyMap<number, string>;
}

export function createSegment(name: string): Segment {
  return { name, unconfirmed: 0, bytes: 0, damaged: 0, confirmed: [], isBroken: false };
}

/**
 * Marks in the file which of its records are confirmed; returns the bytes written. A hint: if it is lost, they are
 * delivered again.
 */
export async function markConfirmed(files: JournalFiles, segment: Segment): Promise<number> {
  const places = segment.confirmed.splice(0);
  if (places.length === 0 || segment.unconfirmed === 0 || segment.isBroken) return 0;
  const bytes = encodeConfirmed(places);
  try {
    const isMarked = await files.append(segment.name, bytes).then(() => true, ignoreMissing); // or taken over
    return isMarked ? bytes.length : 0;
  } catch (error) {
    segment.isBroken = true;
    throw error;
  }
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
  const { records, damaged, tornBytes, wholeBytes } = scanRecords(bytes, header.bytes);
  if (tornBytes > 0) {
    log.warn({ file, tornBytes }, 'the last write to the journal was never finished; it is discarded');
    await files.truncate(name, wholeBytes);
  }
  if (damaged > 0) log.error({ file: name, damaged }, 'records of the journal are damaged');
  if (records.size > 0)
    return { ...createSegment(name), unconfirmed: records.size, bytes: wholeBytes, damaged, records };
  if (damaged > 0) await files.rename(name, nameDamaged(name));
  else await files.remove(name);
  return { ...createSegment(name), damaged, records };
}
