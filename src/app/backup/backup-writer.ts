import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress } from 'node:zlib';
import { syncFolder } from '#storage';
import type { Manifest, TableSum, Trailer } from './manifest.ts';
import type { Table } from './table.ts';

/** The line after a table's rows, as in a script of psql. */
export const END_OF_ROWS = '\\.\n';
export const FIRST_LINE = '-- sluice backup ';
export const JOURNAL_LINE = '-- sluice journal ';
export const LAST_LINE = '-- sluice backup end ';
export const NEWLINE = 0x0a;

/**
 * Writes a backup: a script of COPY statements as psql reads them, compressed by zstd, between a line with its manifest
 * and one with its sums. The file appears under its name only when it is complete.
 */
export class BackupWriter {
  readonly #path: string;
  readonly #draft: string;
  readonly #pack = createZstdCompress();
  readonly #written: Promise<void>;
  readonly #sums: Record<string, TableSum> = {};

  private constructor(path: string, draft: string, handle: FileHandle) {
    this.#path = path;
    this.#draft = draft;
    this.#written = pipeline(this.#pack, handle.createWriteStream({ flush: true }));
    this.#written.catch(() => undefined); // the next write reports it
  }

  static async create(file: string): Promise<BackupWriter> {
    const path = resolve(file);
    refuseExisting(path);
    const draft = `${path}.${randomBytes(4).toString('hex')}.part`;
    return new BackupWriter(path, draft, await open(draft, 'wx', 0o600));
  }

  async begin(manifest: Manifest): Promise<void> {
    await this.#write(`${FIRST_LINE}${JSON.stringify(manifest)}\n`);
  }

  /** `onBytes` is called with the bytes of the table so far. */
  async add(
    { name, columns }: Table,
    chunks: AsyncIterable<Buffer>,
    onBytes: (bytes: number) => void,
  ): Promise<void> {
    await this.#write(`COPY ${name} (${columns.join(', ')}) FROM stdin;\n`);
    const hash = createHash('sha256');
    let [rows, bytes] = [0, 0];
    for await (const chunk of chunks) {
      hash.update(chunk);
      rows += countLines(chunk);
      bytes += chunk.length;
      await this.#write(chunk);
      onBytes(bytes);
    }
    await this.#write(END_OF_ROWS);
    this.#sums[name] = { rows, bytes, sha256: hash.digest('hex') };
  }

  /** Records of a journal, which the next start after a restore writes to the database. */
  async addRecords(records: readonly string[]): Promise<void> {
    for (const record of records) await this.#write(`${JOURNAL_LINE}${JSON.stringify(record)}\n`);
  }

  /** Completes the file and gives it its name; returns its sums and its size. */
  async end(): Promise<{ tables: Record<string, TableSum>; path: string; bytes: number }> {
    const trailer: Trailer = { tables: this.#sums };
    this.#pack.end(`${LAST_LINE}${JSON.stringify(trailer)}\n`);
    await this.#written;
    refuseExisting(this.#path);
    await rename(this.#draft, this.#path);
    await syncFolder(dirname(this.#path));
    return { tables: this.#sums, path: this.#path, bytes: (await stat(this.#path)).size };
  }

  /** Removes the incomplete file. */
  async abandon(): Promise<void> {
    this.#pack.destroy();
    await rm(this.#draft, { force: true });
  }

  async #write(text: string | Buffer): Promise<void> {
    if (this.#pack.write(text)) return;
    const drained = new AbortController();
    const { signal } = drained;
    await Promise.race([once(this.#pack, 'drain', { signal }).catch(() => undefined), this.#written]);
    drained.abort();
  }
}

/** Each row is a line. The server's own count may come only after the rows. */
export function countLines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

function refuseExisting(path: string): void {
  if (existsSync(path))
    throw new Error(`${path} exists; name a file that does not, so that no backup is lost`);
}
