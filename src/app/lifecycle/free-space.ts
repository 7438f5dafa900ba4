import { statfs } from 'node:fs/promises';

/** The least space in which the journal and the database can write. */
const LEAST_BYTES = 8 * 2 ** 20;

/** Throws if the disk of a folder has no room left for programs without root rights. */
export async function refuseFullDisk(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < LEAST_BYTES) throw new Error(`the disk of ${folder} is full`);
}
