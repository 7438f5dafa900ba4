import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namePlace } from './name-place.ts';

test('a path is written as the path that errors name', () => {
  const body = { messages: [{ content: [{ text: 1 }] }], 'a/b': { '~': 1 }, map: { '0': 1 } };
  assert.equal(namePlace(body, ['messages', '0', 'content', '0', 'text']), 'messages[0].content[0].text');
  assert.equal(namePlace(body, ['messages', '0', 'missing']), 'messages[0].missing');
  assert.equal(namePlace(body, ['a/b', '~']), 'a/b.~');
  assert.equal(namePlace(body, ['map', '0']), 'map.0');
  assert.equal(namePlace(body, []), '');
  assert.equal(namePlace({ '': 1 }, ['']), '""');
});

test('members are named as they were sent: spaces, dots, quotes, any script', () => {
  for (const name of ['with space', 'a.b', 'a"b', '~1', '~0', '/', 'größe', '名前', '🦥', '__proto__'])
    assert.equal(namePlace({}, [name]), name);
});

test('a name without end is cut', () => {
  assert.equal(namePlace({}, ['x'.repeat(100_000)]), `${'x'.repeat(200)}…`);
});
