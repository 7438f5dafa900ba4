import { append } from '#base';
import { ignoreMissing, openJournalFiles } from './journal-files.ts';
import { scanRecords } from './record-codec.ts';
import { findHeader, isSegment, isUnfinished } from './segment-name.ts';

/** The pending records of a journal, as seen by another process than its gateway. */
export interface JournalContents {
  /** Those that were asked for; some may have been confirmed a moment ago. */
  records: string[];
  bytes: number;
  /** Records that can no longer be read. */
  damaged: number;
  /** Files that are not a journal of this version. */
  unknown: string[];
}

/** Reads a journal, or one installation's part of it, without changing it; a missing folder counts as empty. */
export async function inspectJournal(
  folder: string,
  isCounted: (text: string) => boolean = () => true,
  installation?: string,
): Promise<JournalContents> {
  const files = openJournalFiles(folder);
  const contents: JournalContents = { records: [], bytes: 0, damaged: 0, unknown: [] };
  const names = await files.list().catch(ignoreMissing);
  for (const name of names ?? []) {
    if (!isSegment(name)) continue;
    const bytes = await files.read(name).catch(ignoreMissing); // a gateway removes what it has delivered
    if (bytes === undefined) continue;
    const header = findHeader(bytes);
    if (header && installation !== undefined && header.installation !== installation) continue;
    if (header) {
      const { records, damaged } = scanRecords(bytes, header.bytes);
      append(contents.records, [...records.values()].filter(isCounted));
      contents.damaged += damaged;
      if (records.size > 0) contents.bytes += bytes.length;
    } else if (!isUnfinished(bytes)) {
      contents.unknown.push(name);
    }
  }
  return contents;
}
