import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { parseJson } from '#base';
import { createProgram } from '../../src/cli/program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guides = ['README.md', ...globSync('docs/**/*.md', { cwd: root }).sort()];

/** A piece of Markdown that can be checked, and where it stands. */
interface Found {
  place: string;
  text: string;
}

function findAll(pattern: RegExp): Found[] {
  return guides.flatMap((place) => {
    const markdown = readFileSync(join(root, place), 'utf8');
    return [...markdown.matchAll(pattern)].map(([, text = '']) => ({ place, text }));
  });
}

/** What follows `npx sluice` on a line, up to a comment, a closing quote or another command; placeholders in <> are none. */
const commandLines = findAll(/npx sluice ([^`\n|&;#)]*)/g).filter(({ text }) => !text.startsWith('<'));

test('every command line of the guides names a command and options that exist', () => {
  assert.ok(commandLines.length > 20);
  for (const { place, text } of commandLines) {
    assert.doesNotThrow(() => parseWithoutRunning(splitWords(text.trim())), `${place}: npx sluice ${text}`);
  }
});

/** Throws where an option or argument is unknown or malformed. */
function parseWithoutRunning(words: string[]): void {
  const program = createProgram();
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  program.configureOutput({ writeErr: () => undefined });
  for (const command of listLeaves(program)) {
    command.configureOutput({ writeErr: () => undefined });
    command.action(() => undefined);
    command.allowUnknownOption(false);
  }
  program.parse(own, { from: 'user' });
}

function listLeaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(listLeaves);
}

function splitWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

test('a command line with a mistake is found', () => {
  for (const line of ['claud --run', 'claude --rum', 'env', 'env google', 'keys create --lable x'])
    assert.throws(() => parseWithoutRunning(splitWords(line)), line);
});

test('every client that the command line starts has a guide, and the table of guides names every guide', () => {
  const table = readFileSync(join(root, 'docs/clients/README.md'), 'utf8');
  const clients = createProgram().commands.filter((command) =>
    command.options.some(({ long }) => long === '--run'),
  );
  for (const command of clients) assert.match(table, new RegExp(`npx sluice ${command.name()} --run`));
  for (const path of globSync('docs/clients/*.md', { cwd: root })) {
    const name = path.split(/[/\\]/).at(-1) ?? '';
    if (name !== 'README.md') assert.ok(table.includes(`(${name})`), name);
  }
});

test('every JSON of a guide is JSON', () => {
  for (const { place, text } of findAll(/```json\n([\s\S]*?)```/g))
    assert.notEqual(parseJson(text), undefined, place);
});

test('every link of a guide leads to something', () => {
  for (const { place, text } of findAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
    if (/^[a-z]+:/.test(text)) continue;
    assert.ok(existsSync(join(root, dirname(place), text)), `${place} links to ${text}`);
  }
});
