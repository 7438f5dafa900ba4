import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSelection } from './selection.ts';

const catalogue = {
  names: new Map([
    ['small', 'model-small'],
    ['alias', 'model-small'],
    ['large', 'model-large'],
  ]),
};

/** The name of the selection that a request for a model by a project is part of. */
function find(
  selections: readonly { name: string; model?: string; projects?: readonly string[] }[],
  modelId: string,
  projectId?: string,
): string | undefined {
  return findSelection(selections, { catalogue, modelId, projectId })?.name;
}

test('a selection of a model is for that model, by any of its names in any case', () => {
  for (const model of ['small', 'Alias']) {
    const selections = [{ name: 'one', model }];
    assert.equal(find(selections, 'model-small'), 'one');
    assert.equal(find(selections, 'model-large'), undefined);
  }
  assert.equal(find([{ name: 'one', model: 'unknown' }], 'model-small'), undefined);
});

test('a selection of projects is for these alone, and one without model or projects for all', () => {
  const selections = [{ name: 'one', projects: ['a', 'b'] }];
  assert.deepEqual(
    ['a', 'b', 'c', undefined].map((projectId) => find(selections, 'model-small', projectId)),
    ['one', 'one', undefined, undefined],
  );
  assert.equal(find([{ name: 'all' }], 'model-small', 'c'), 'all');
  assert.equal(find([{ name: 'all' }], 'model-small'), 'all');
});

test('a selection of a model and projects needs both, and the first that fits is taken', () => {
  const selections = [{ name: 'both', model: 'small', projects: ['a'] }, { name: 'rest' }, { name: 'never' }];
  assert.equal(find(selections, 'model-small', 'a'), 'both');
  assert.equal(find(selections, 'model-large', 'a'), 'rest');
  assert.equal(find(selections, 'model-small', 'b'), 'rest');
});
