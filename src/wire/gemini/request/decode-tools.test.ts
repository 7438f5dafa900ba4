import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeToolOptions } from './decode-tools.ts';

test('thousands of functions are chosen from among millions of allowed names: a search for each would not end', () => {
  const functionDeclarations = Array.from({ length: 10_000 }, (_, at) => ({ name: `f${at}` }));
  const allowedFunctionNames = [...Array<string>(5_000_000).fill('other'), 'f1', 'f9000'];
  const { tools } = decodeToolOptions({
    contents: [],
    tools: [{ functionDeclarations }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames } },
  });
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['f1', 'f9000'],
  );
});
