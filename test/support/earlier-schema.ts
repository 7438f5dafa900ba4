import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { Migration } from '#storage';

/** The migrations from 0.2.0 on, until functions were no longer part of what never changes: a line precedes each file. */
export function readMigrationsWithFunctions(): Migration[] {
  const text = gunzipSync(readFileSync(new URL('migrations-0036.sql.gz', import.meta.url))).toString('utf8');
  const parts = text.split(/^-- file (\S+)\n/m).slice(1);
  return parts.flatMap((name, index) => {
    if (index % 2 === 1) return [];
    const sql = parts[index + 1] ?? '';
    return [{ name, sql, functions: [], checksum: createHash('sha256').update(sql).digest('hex') }];
  });
}
