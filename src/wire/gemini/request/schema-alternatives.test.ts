import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinAlternatives, joinSchemas, widen } from './schema-alternatives.ts';

const a = { a: { type: 'string' } } as const;
const b = { b: { type: 'number' } } as const;

test('joined schemas have the properties and the required names of both, and of the rest what comes first', () => {
  assert.deepEqual(
    joinSchemas([
      { title: 'L', properties: a },
      { title: 'R', description: 'D' },
    ]),
    {
      title: 'L',
      description: 'D',
      properties: a,
    },
  );
  assert.deepEqual(
    joinSchemas([
      { properties: a, required: ['a'] },
      { properties: b, required: ['a', 'b'] },
    ]),
    {
      properties: { ...a, ...b },
      required: ['a', 'b'],
    },
  );
  assert.deepEqual(joinSchemas([{ type: 'string' }, {}]), { type: 'string' });
});

test('a widened object requires what it did, and what every alternative requires', () => {
  const base = { properties: a, required: ['a'] };
  assert.equal(widen(base, [{ type: 'string' }]), base);
  assert.deepEqual(widen({ description: 'D' }, [{ properties: a, required: ['a'] }]), {
    description: 'D',
    type: 'object',
    properties: a,
    required: ['a'],
  });
  const both = { properties: { ...a, ...b }, required: ['a', 'b'] };
  assert.deepEqual(widen({}, [both, { properties: a, required: ['a'] }]), {
    type: 'object',
    properties: { ...a, ...b },
    required: ['a'],
  });
  const loose = widen({}, [both, { type: 'string' }]);
  assert.deepEqual(loose, { type: 'object', properties: both.properties }, 'one of them requires nothing');
});

test('alternatives are merged where there is one, and stand beside what all share where there are more', () => {
  const base = { type: 'string', description: 'D' } as const;
  assert.equal(joinAlternatives(base, []), base);
  assert.deepEqual(joinAlternatives(base, [{ pattern: 'x' }]), { ...base, pattern: 'x' });
  assert.deepEqual(joinAlternatives(base, [{ pattern: 'x' }, { pattern: 'y' }]), {
    description: 'D',
    anyOf: [
      { type: 'string', pattern: 'x' },
      { type: 'string', pattern: 'y' },
    ],
  });
  assert.equal(joinAlternatives(base, [{ pattern: 'x' }, {}]), base, 'an empty one allows everything');
});
