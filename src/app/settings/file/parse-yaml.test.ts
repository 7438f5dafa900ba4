import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseManifest } from '../../apply/read-manifest.ts';
import { parseSettingsFile } from './settings-file.ts';

/** Each list repeats the one before nine times. */
const aliases = (): string => {
  const names = 'abcdefghi'.split('');
  const lists = names.map((name, at) => {
    const item = at === 0 ? 'x' : `*${names[at - 1]}`;
    return `${name}: &${name} [${Array<string>(9).fill(item).join()}]\n`;
  });
  return lists.join('');
};

for (const [what, text, problem] of [
  ['aliases that repeat each other', aliases(), 'file.yaml:1:1: aliases repeat too much'],
  ['20,000 levels', '['.repeat(20_000), /^file\.yaml:1:\d+: nests too deep$/],
  [
    'two documents',
    'a: 1\n---\nb: 2\n',
    'file.yaml:2:1: a second document begins; write one document in each file',
  ],
] as const)
  test(`a file of ${what} is refused with its place and in words of the file`, () => {
    const check = (message: string): void =>
      typeof problem === 'string' ? assert.equal(message, problem) : assert.match(message, problem);
    assert.throws(
      () => parseSettingsFile({ name: 'file.yaml', text }, {}),
      (thrown) => thrown instanceof Error && (check(thrown.message), true),
    );
    const [first] = parseManifest('file.yaml', text).problems;
    check(`${first?.place}: ${first?.message}`);
  });
