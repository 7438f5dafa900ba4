import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { BackupReader } from './backup-reader.ts';

const folder = createTemporaryFolder();
const file = join(folder.path, 'backup');
after(() => folder.remove());

/** What the decompressor returns at once. */
const CHUNK = 64 * 1024;
const MANIFEST = `-- sluice backup {"format":1,"program":"0.1.0"}\n`;
const END = '-- sluice backup end {"tables":{}}\n';

/** The tables and records of a file. */
async function readAll(text: string): Promise<{ tables: [string, string][]; records: readonly string[] }> {
  writeFileSync(file, zstdCompressSync(text));
  const reader = await BackupReader.open(file);
  await reader.readManifest();
  const tables: [string, string][] = [];
  for (let name = await reader.nextTable(); name !== undefined; name = await reader.nextTable()) {
    const parts: Buffer[] = [];
    for await (const part of reader.readRows()) parts.push(Buffer.from(part));
    tables.push([name, Buffer.concat(parts).toString()]);
  }
  return { tables, records: reader.records };
}

const print = (tables: readonly [string, string][], records: readonly string[]): string =>
  [
    MANIFEST,
    ...tables.map(([name, rows]) => `COPY ${name} (a, b) FROM stdin;\n${rows}\\.\n`),
    ...records.map((record) => `-- sluice journal ${JSON.stringify(record)}\n`),
    END,
  ].join('');

test('the rows of every table are read as they were written, wherever the file is cut into chunks', async () => {
  // Around the ends of chunks, so that each byte of an end of rows is once the last of one.
  for (let more = -12; more <= 2; more += 1) {
    const header = `${MANIFEST}COPY one (a, b) FROM stdin;\n`.length;
    const tables: [string, string][] = [
      ['one', `${'x'.repeat(CHUNK - header + more)}\n`],
      ['two', ''],
      ['three', `${'y'.repeat(98)}\n`.repeat(4_000)],
    ];
    assert.deepEqual(await readAll(print(tables, ['{"a":"b\\n"}'])), { tables, records: ['{"a":"b\\n"}'] });
  }
});

test('rows that look like an end of rows, a statement or a record are rows', async () => {
  // COPY writes a backslash as two, so that no row is an end.
  const row = fc.constantFrom(
    '\\\\.',
    '\\\\\\\\.',
    '\\N',
    '',
    'COPY x (a) FROM stdin;',
    '-- sluice journal "a"',
    'é\tü',
    '.',
  );
  const rows = fc.array(row).map((lines) => lines.map((line) => `${line}\n`).join(''));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom('a', 'b_2'), rows)), async (tables) => {
      assert.deepEqual((await readAll(print(tables, []))).tables, tables);
    }),
    { numRuns: 50 },
  );
});

test('a file that is no backup is not called damaged, and a damaged one is', async () => {
  const refuse = async (bytes: Uint8Array): Promise<string> => {
    writeFileSync(file, bytes);
    const reading = BackupReader.open(file).then((reader) => reader.readManifest());
    return reading.then(
      () => '',
      (error: unknown) => String(error),
    );
  };
  const whole = zstdCompressSync(print([], []));
  for (const bytes of [Buffer.of(), Buffer.from('CREATE TABLE x;\n'), zstdCompressSync('a dump\n')])
    assert.equal(
      await refuse(bytes),
      `Error: ${file} is not a backup of Sluice; npx sluice backup FILE writes one`,
    );
  assert.match(await refuse(whole.subarray(0, 20)), /is damaged or incomplete; use another backup$/);
  assert.equal(await refuse(whole), '');
});
