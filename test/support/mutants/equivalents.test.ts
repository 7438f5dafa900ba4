import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { EQUIVALENTS, describes } from './equivalents.ts';
import { findMutants } from './find-mutants.ts';

const root = new URL('../../../', import.meta.url);

test('each fault that changes nothing can still be planted in the file it names', () => {
  const stale: unknown[] = [];
  for (const [path, equivalents] of Map.groupBy(EQUIVALENTS, (equivalent) => equivalent.path)) {
    const file = new URL(path, root);
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const mutants = findMutants(path, text);
    stale.push(
      ...equivalents.filter((equivalent) => !mutants.some((mutant) => describes(equivalent, mutant, text))),
    );
  }
  assert.deepEqual(stale, []);
});
