import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { isJsonObject, parseJson, parseJsonObject } from '#base';
import { END_OF_ROWS, FIRST_LINE, JOURNAL_LINE, LAST_LINE, NEWLINE } from './backup-writer.ts';
import { FORMAT, type Manifest, type Trailer } from './manifest.ts';

/** The end of the rows, with the end of the line before it. */
const END = Buffer.from(`\n${END_OF_ROWS}`);
/** The first bytes of a compressed file. */
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const LONGEST_LINE = 64 * 2 ** 20;

/** Reads a backup from its start to its end. */
export class BackupReader {
  readonly #file: string;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  #trailer: Trailer | undefined;
  readonly #records: string[] = [];

  private constructor(file: string) {
    this.#file = file;
    const unpack = createZstdDecompress();
    pipeline(createReadStream(file), unpack, () => undefined); // a failure is thrown where the rows are read
    this.#chunks = (unpack as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  static async open(file: string): Promise<BackupReader> {
    if (!(await readStart(file)).equals(ZSTD)) throw createNoBackup(file);
    return new BackupReader(file);
  }

  async readManifest(): Promise<Manifest> {
    const line = await this.#readLine();
    const manifest = line.startsWith(FIRST_LINE) ? parseJsonObject(line.slice(FIRST_LINE.length)) : undefined;
    if (!manifest) throw createNoBackup(this.#file);
    const { format, program } = manifest as unknown as Manifest;
    if (format !== FORMAT)
      throw new Error(
        `${this.#file} was written by Sluice ${program}; restore it by that version or a later one`,
      );
    return manifest as unknown as Manifest;
  }

  /** The name of the next table, whose rows are then to be read; `undefined` after the last. */
  async nextTable(): Promise<string | undefined> {
    for (;;) {
      const line = await this.#readLine();
      const [, name] = /^COPY ([a-z_0-9]+) \(/.exec(line) ?? [];
      if (name !== undefined) return name;
      const record = line.startsWith(JOURNAL_LINE) ? parseJson(line.slice(JOURNAL_LINE.length)) : undefined;
      if (typeof record === 'string') {
        this.#records.push(record);
        continue;
      }
      this.#trailer = readTrailer(line) ?? this.#refuse();
      return undefined;
    }
  }

  /** The sums of all tables, once the last has been read. */
  get trailer(): Trailer {
    return this.#trailer ?? this.#refuse();
  }

  /** The records of the journal, once the last table has been read. */
  get records(): readonly string[] {
    return this.#records;
  }

  async *readRows(): AsyncGenerator<Buffer> {
    // The newline before the first row counts as delivered, so that an empty table ends at once.
    let pending: Buffer = Buffer.concat([Buffer.from('\n'), this.#rest]);
    let delivered = 1;
    for (;;) {
      const at = pending.indexOf(END);
      const mayEndFrom = Math.max(0, pending.length - END.length + 1);
      const until = at >= 0 ? at + 1 : Math.max(delivered, mayEndFrom);
      if (until > delivered) yield pending.subarray(delivered, until);
      if (at >= 0) {
        this.#rest = pending.subarray(at + END.length);
        return;
      }
      delivered = until - mayEndFrom;
      pending = Buffer.concat([pending.subarray(mayEndFrom), await this.#readChunk()]);
    }
  }

  async #readLine(): Promise<string> {
    for (;;) {
      const at = this.#rest.indexOf(NEWLINE);
      if (at >= 0) {
        const line = this.#rest.toString('utf8', 0, at);
        this.#rest = this.#rest.subarray(at + 1);
        return line;
      }
      if (this.#rest.length > LONGEST_LINE) this.#refuse();
      this.#rest = Buffer.concat([this.#rest, await this.#readChunk()]);
    }
  }

  async #readChunk(): Promise<Buffer> {
    const next = await this.#chunks.next().catch(() => this.#refuse());
    return next.done === true ? this.#refuse() : next.value;
  }

  #refuse(): never {
    throw new Error(`${this.#file} is damaged or incomplete; use another backup`);
  }
}

const createNoBackup = (file: string): Error =>
  new Error(`${file} is not a backup of Sluice; npx sluice backup FILE writes one`);

async function readStart(file: string): Promise<Buffer> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(ZSTD.length), 0, ZSTD.length, 0);
  return buffer.subarray(0, bytesRead);
}

function readTrailer(line: string): Trailer | undefined {
  const trailer = line.startsWith(LAST_LINE) ? parseJsonObject(line.slice(LAST_LINE.length)) : undefined;
  return isJsonObject(trailer?.['tables']) ? (trailer as unknown as Trailer) : undefined;
}
