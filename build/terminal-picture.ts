import { text } from 'node:stream/consumers';

const CHARACTER = { width: 7.2, height: 18, size: 12 };
const PADDING = 16;
const BAR = 28;
const BUTTONS = ['#ff5f57', '#febc2e', '#28c840'];

/** A command and what it printed, as a picture of a terminal (SVG). */
export function drawTerminal(command: string, output: string): string {
  const lines = [`$ ${command}`, ...output.trimEnd().split('\n')];
  const columns = Math.max(...lines.map((line) => line.length));
  const width = Math.ceil(columns * CHARACTER.width) + 2 * PADDING;
  const height = BAR + lines.length * CHARACTER.height + 2 * PADDING;
  const buttons = BUTTONS.map(
    (colour, at) => `<circle cx="${PADDING + 4 + at * 18}" cy="${BAR / 2 + 3}" r="5" fill="${colour}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    '<style>text { font: 12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #d6deeb; white-space: pre }',
    '.command { fill: #7fdbca }</style>',
    `<rect width="${width}" height="${height}" rx="8" fill="#011627"/>`,
    ...buttons,
    ...lines.map(drawLine),
    '</svg>',
    '',
  ].join('\n');
}

/** As wide as its characters are on a grid, in whichever font the reader has. */
function drawLine(line: string, at: number): string {
  const y = BAR + PADDING + at * CHARACTER.height + CHARACTER.size;
  const length = ((line.length || 1) * CHARACTER.width).toFixed(1);
  const kind = at === 0 ? ' class="command"' : '';
  return `<text x="${PADDING}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${kind}>${escape(line)}</text>`;
}

function escape(line: string): string {
  return line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** `npx sluice sessions show ID | node build/terminal-picture.ts 'npx sluice sessions show ID' > picture.svg` */
if (import.meta.main) process.stdout.write(drawTerminal(process.argv[2] ?? '', await text(process.stdin)));
