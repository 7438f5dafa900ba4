import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const updating = process.env['UPDATE_DOCS'] === '1';
const HOW = 'run UPDATE_DOCS=1 npm test -- --only test/docs and read the difference';

/** Tests that a page in docs/ matches the code; with UPDATE_DOCS=1 rewrites the page. */
export function testGeneratedPage(path: string, draw: () => string | Promise<string>): void {
  test(`${path} matches what the tests prove`, async () => {
    const drawn = await draw();
    if (updating) writeFileSync(root + path, drawn);
    assert.ok(existsSync(root + path), `${path} is missing: ${HOW}`);
    assert.equal(readFileSync(root + path, 'utf8'), drawn, HOW);
  });
}

/** A Markdown table; bars and line ends inside cells are escaped. */
export function drawTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
}
