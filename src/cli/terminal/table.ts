import type { TextTable } from '#fields';

/** Formats rows in columns as wide as their widest cell, with a heading first; a cell stays in its row. */
export interface Table {
  /** Further rows, in columns at least as wide as before. */
  push(rows: readonly (readonly string[])[]): string[];
}

const GAP = 2;
const INDENT = 2;

/**
 * A table for a terminal of this width; unlimited if the output is not a terminal. A wider row continues in indented
 * lines; its last cell is broken between words.
 */
export function createTable(heading: readonly string[], columns = getColumns()): Table {
  const names = heading.map((name) => name.toUpperCase());
  let widths = names.map(({ length }) => length);
  let longestWord = 0;
  let isFirst = true;
  return {
    push: (rows) => {
      const own = rows.map((row) => row.map((cell) => cell.replaceAll(/[\t\n]/g, ' ')));
      const all = isFirst ? [names, ...own] : own;
      isFirst = false;
      for (const row of all) {
        widths = widths.map((width, at) => Math.max(width, row[at]?.length ?? 0));
        for (const word of row.at(-1)?.split(' ') ?? []) longestWord = Math.max(longestWord, word.length);
      }
      const groups = groupColumns([...widths.slice(0, -1), longestWord], columns);
      return all.flatMap((row) =>
        groups.flatMap((group, at) =>
          formatLine(row, group, { widths, columns, indent: at === 0 ? 0 : INDENT }),
        ),
      );
    },
  };
}

export function formatTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  columns?: number,
): string[] {
  return createTable(heading, columns).push(rows);
}

/** A line, or a table. */
export const formatPart = (part: string | TextTable): string[] =>
  typeof part === 'string' ? [part] : formatTable(part.heading, part.rows);

function getColumns(): number {
  return process.stdout.isTTY ? process.stdout.columns : Infinity;
}

/** Which columns are in one line. */
function groupColumns(widths: readonly number[], columns: number): number[][] {
  const groups: number[][] = [];
  let used = 0;
  for (const [at, width] of widths.entries()) {
    const group = groups.at(-1);
    if (group && used + GAP + width <= columns) {
      group.push(at);
      used += GAP + width;
    } else {
      used = width + (group ? INDENT : 0);
      groups.push([at]);
    }
  }
  return groups;
}

interface Line {
  widths: readonly number[];
  columns: number;
  indent: number;
}

function formatLine(
  row: readonly string[],
  group: readonly number[],
  { widths, columns, indent }: Line,
): string[] {
  const before = group.slice(0, -1).map((column) => (row[column] ?? '').padEnd((widths[column] ?? 0) + GAP));
  const start = ' '.repeat(indent) + before.join('');
  const [first = '', ...rest] = wrap(row[group.at(-1) ?? 0] ?? '', columns - start.length);
  return [(start + first).trimEnd(), ...rest.map((text) => ' '.repeat(start.length) + text)];
}

/** Breaks text between words; a word longer than a line stays whole, so that it can be copied. */
function wrap(text: string, width: number): string[] {
  if (text.length <= width) return [text];
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
