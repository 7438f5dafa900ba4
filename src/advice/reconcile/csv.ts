import { ReportFault } from './report-line.ts';

/** A record of a CSV file, with the number of the line on which it begins. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

/** A field with what follows it; a quoted one may contain line breaks, and quotes that are doubled. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

/** Reads a CSV file by RFC 4180: commas, quotes, LF or CRLF. Throws ReportFault with the line. */
export function readCsv(name: string, text: string): CsvRecord[] {
  const source = text.replace(/^\uFEFF/, '');
  const records: CsvRecord[] = [];
  let [at, line, cells] = [0, 1, [] as string[]];
  let begin = line;
  while (at < source.length || cells.length > 0) {
    FIELD.lastIndex = at;
    const match = FIELD.exec(source);
    if (!match) throw new ReportFault(`${name}, line ${line}`, 'has a quote in the wrong place');
    const [whole, quoted, plain = '', end = ''] = match;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    at += whole.length;
    line += whole.split('\n').length - 1;
    if (end === ',') continue;
    const isBlank = cells.length === 1 && cells[0] === '';
    if (!isBlank) records.push({ line: begin, cells });
    [cells, begin] = [[], line];
  }
  return records;
}
