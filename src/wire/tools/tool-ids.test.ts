import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ToolIds } from './tool-ids.ts';
import { ToolNames } from './tool-names.ts';

const NINE = { maxLength: 9, alphabet: 'alphanumeric', exactLength: 9 } as const;

test('[D-20] an id is hashed only where it does not fit, and always alike', () => {
  const ids = new ToolIds({ maxLength: 40, alphabet: 'word' });
  assert.equal(ids.encode('call_abc-1'), 'call_abc-1');
  const hashed = ids.encode('functions.f:0');
  assert.match(hashed, /^call_[A-Za-z0-9]{24}$/);
  assert.equal(ids.encode('functions.f:0'), hashed);
  assert.equal(new ToolIds({ maxLength: 40, alphabet: 'word' }).encode('functions.f:0'), hashed);
});

test('[D-21] an id that equals the hash of another is hashed as well', () => {
  const first = new ToolIds(NINE).encode('functions.f:0');
  const ids = new ToolIds(NINE);
  assert.equal(ids.encode('functions.f:0'), first);
  const second = ids.encode(first);
  assert.notEqual(second, first);
  assert.match(second, /^[A-Za-z0-9]{9}$/);
  assert.equal(ids.encode(first), second);
});

test('[D-22] a name that equals the short form of another stays distinct from it', () => {
  const long = 'x'.repeat(80);
  const short = new ToolNames(64).encode(long);
  const names = new ToolNames(64);
  assert.equal(names.encode(long), short);
  const other = names.encode(short);
  assert.notEqual(other, short);
  assert.equal(names.restore(short), long);
  assert.equal(names.restore(other), short);
  assert.equal(names.restore('never sent'), 'never sent');
});
