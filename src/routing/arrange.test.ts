import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mapping } from '#catalogue';
import { type ArrangeOptions, arrange } from './arrange.ts';

const toMappings = (text: string): Mapping[] =>
  text.split(' ').map((name) => {
    const [modelId, providerId] = name.split('@');
    return { modelId, providerId } as Mapping;
  });

function arrangeAll(text: string, options: Partial<ArrangeOptions> = {}, asked = text): string {
  return arrange(toMappings(text), toMappings(asked), { order: [], allowsFallbacks: true, ...options })
    .map(({ modelId, providerId }) => `${modelId}@${providerId}`)
    .join(' ');
}

test('models are tried in the order they were asked for, each by rank', () => {
  assert.equal(arrangeAll('b@x a@y a@x b@y', {}, 'a@x a@y b@x b@y'), 'a@y a@x b@x b@y');
});

test('named providers come first in their order, the others by rank', () => {
  assert.equal(arrangeAll('a@x a@y a@z', { order: ['z', 'y'] }), 'a@z a@y a@x');
  assert.equal(arrangeAll('a@x a@y', { order: ['unknown'] }), 'a@x a@y');
});

test('without fallbacks only the named providers remain, or the first', () => {
  assert.equal(arrangeAll('a@x a@y a@z', { order: ['z', 'y'], allowsFallbacks: false }), 'a@z a@y');
  assert.equal(arrangeAll('a@x a@y a@z', { order: ['z'], allowsFallbacks: false }), 'a@z');
  assert.equal(arrangeAll('a@x a@y', { allowsFallbacks: false }), 'a@x');
});

test('mappings that are not preferred come last, whatever their model and place; without models, all are sorted by rank', () => {
  const isPreferred = ({ providerId }: Mapping): boolean => providerId === 'x';
  assert.equal(arrangeAll('a@y a@x b@x b@y', { isPreferred, order: ['y'] }), 'a@x b@x a@y b@y');
  assert.equal(arrangeAll('b@x a@y a@x', { mixesModels: true }, 'a@x a@y b@x'), 'b@x a@y a@x');
});
