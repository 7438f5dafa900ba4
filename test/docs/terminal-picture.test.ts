import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { drawTerminal } from '../../build/terminal-picture.ts';

const readLines = (svg: string): string[] =>
  [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, line = '']) => line);

test('a picture of a terminal has the command and every line of its output, on one grid', () => {
  const svg = drawTerminal('show <ID>', 'OF  USD\n├─ a & b\n\nend\n');
  assert.deepEqual(readLines(svg), ['$ show &lt;ID&gt;', 'OF  USD', '├─ a &amp; b', '', 'end']);
  const widths = [...svg.matchAll(/textLength="([\d.]+)"/g)].map(([, width]) => Number(width));
  assert.deepEqual(widths, [79.2, 50.4, 57.6, 7.2, 21.6]);
});

test('the picture of a session is what the command prints, drawn as it is drawn today', () => {
  const svg = readFileSync(new URL('../../docs/sessions.svg', import.meta.url), 'utf8');
  const [command = '', ...output] = readLines(svg);
  assert.equal(drawTerminal(command.replace('$ ', ''), output.join('\n')), svg);
  assert.match(output[1] ?? '', /^OF +REQUESTS +FRESH +CACHED +WRITTEN +OUT/);
});
