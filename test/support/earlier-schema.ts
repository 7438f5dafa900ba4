import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Migration } from '#storage';

const FILE = new URL('migrations-0038.sql.gz', import.meta.url);

/** The migrations of the last version before 0.2, as its databases have applied them: one text, in which a line precedes each file. */
export function readEarlierMigrations(): Migration[] {
  const text = gunzipSync(readFileSync(FILE)).toString('utf8');
  const parts = text.split(/^-- file (\S+)\n/m).slice(1);
  return parts.flatMap((name, index) => {
    if (index % 2 === 1) return [];
    const sql = parts[index + 1] ?? '';
    return [{ name, sql, checksum: createHash('sha256').update(sql).digest('hex') }];
  });
}
