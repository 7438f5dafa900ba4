import { statfs } from 'node:fs/promises';

/** What the journal and the database need at least to write anything down. */
const LEAST_BYTES = 8 * 2 ** 20;

/** Throws where the disk of a folder has no room left for programs that are not root's. */
export async function refuseFullDisk(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < LEAST_BYTES) throw new Error(`the disk of ${folder} is full`);
}
