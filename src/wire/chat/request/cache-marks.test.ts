import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CacheMark } from '#canonical';
import { decodeCacheMark, encodeCacheMark } from './cache-marks.ts';
import type { ChatMarked } from '../part-schema.ts';

test('a mark is written with the lifetimes of its spelling: 5m and 1h, or 30m and 12h', () => {
  const write = (
    ttl: CacheMark['ttl'] | undefined,
    supported: 'cache_control' | 'prompt_cache_breakpoint',
  ) => {
    const written = encodeCacheMark(ttl === undefined ? {} : { ttl }, supported);
    return decodeCacheMark(written as ChatMarked)?.ttl;
  };
  const lifetimes = [undefined, '5m', '1h', '30m', '12h'] as const;
  assert.deepEqual(
    lifetimes.map((ttl) => write(ttl, 'cache_control')),
    [undefined, '5m', '1h', undefined, '1h'],
  );
  assert.deepEqual(
    lifetimes.map((ttl) => write(ttl, 'prompt_cache_breakpoint')),
    [undefined, undefined, undefined, '30m', '12h'],
  );
  assert.deepEqual(encodeCacheMark({ ttl: '1h' }, 'none'), {});
  assert.deepEqual(encodeCacheMark(undefined, 'cache_control'), {});
  assert.equal(decodeCacheMark({}), undefined);
});
