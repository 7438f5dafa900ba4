import { ReportFault } from './report-line.ts';

/** A record of a CSV file, with the number of the line on which it begins. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

const PLAIN = /[^",\r\n]*/y;
const END = /,|\r?\n|$/y;

/** Reads a CSV file by RFC 4180: commas, quotes, LF or CRLF. Throws ReportFault with the line. */
export function readCsv(name: string, text: string): CsvRecord[] {
  const source = text.replace(/^\uFEFF/, '');
  const records: CsvRecord[] = [];
  let [at, line, cells] = [0, 1, [] as string[]];
  let begin = line;
  while (at < source.length || cells.length > 0) {
    const field = readField(source, at);
    if (!field) throw new ReportFault(`${name}, line ${line}`, 'has a quote in the wrong place');
    cells.push(field.cell);
    line += source.slice(at, field.next).split('\n').length - 1;
    at = field.next;
    if (field.end === ',') continue;
    const isBlank = cells.length === 1 && cells[0] === '';
    if (!isBlank) records.push({ line: begin, cells });
    [cells, begin] = [[], line];
  }
  return records;
}

/** A field with what follows it; a quoted one may contain line breaks, and quotes that are doubled. */
function readField(source: string, at: number): { cell: string; end: string; next: number } | undefined {
  const isQuoted = source[at] === '"';
  const close = isQuoted ? findClose(source, at) : at + (match(PLAIN, source, at)?.length ?? 0);
  if (close === -1) return undefined;
  const cell = isQuoted ? source.slice(at + 1, close).replaceAll('""', '"') : source.slice(at, close);
  const next = isQuoted ? close + 1 : close;
  const end = match(END, source, next);
  return end === undefined ? undefined : { cell, end, next: next + end.length };
}

/** The place of the quote that ends a field. */
function findClose(source: string, at: number): number {
  let close = source.indexOf('"', at + 1);
  while (close !== -1 && source[close + 1] === '"') close = source.indexOf('"', close + 2);
  return close;
}

function match(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}
