import type { Migration } from '#storage';

/** Where an object of the schema is defined, and what its migration says of it. */
export interface Source {
  /** The migration that creates it. */
  migration: string;
  comment: readonly string[];
  /** Later migrations that change it: of tables only. */
  changes: string[];
}

/** What migrations say of themselves, and of each object by `<kind> <name>`, in the order of creation; of columns too. */
export interface Sources {
  introductions: ReadonlyMap<string, readonly string[]>;
  objects: ReadonlyMap<string, Source>;
}

const OBJECT =
  /^CREATE (?:OR REPLACE |UNIQUE |UNLOGGED )*(TABLE|VIEW|TYPE|SEQUENCE|FUNCTION|INDEX|TRIGGER) (\w+)/;
const ALTERED = /^ALTER TABLE (\w+)/;
const ADDED = /\bADD COLUMN (\w+)/;
const COLUMN = /^ {2}(\w+) /;
const COMMENT = /^ *-- ?(.*)$/;

export function readSources(migrations: readonly Migration[]): Sources {
  const introductions = new Map<string, readonly string[]>();
  const objects = new Map<string, Source>();
  for (const { name, sql } of migrations) {
    introductions.set(name, readIntroduction(sql));
    readObjects(name, sql, objects);
  }
  return { introductions, objects };
}

/** The comment with which a file begins, unless it is that of the first statement. */
function readIntroduction(sql: string): string[] {
  const lines = sql.split('\n');
  const end = lines.findIndex((line) => !COMMENT.test(line));
  if (end === -1) return readComment(lines.slice(0, -1));
  return lines[end] === '' ? readComment(lines.slice(0, end)) : [];
}

function readComment(lines: readonly string[]): string[] {
  return lines.map((line) => COMMENT.exec(line)?.[1] ?? '');
}

function readObjects(migration: string, sql: string, objects: Map<string, Source>): void {
  let comment: string[] = [];
  let table = '';
  for (const line of sql.split('\n')) {
    const [, said] = COMMENT.exec(line) ?? [];
    if (said !== undefined) {
      comment.push(said);
      continue;
    }
    const [, kind = '', name = ''] = OBJECT.exec(line) ?? [];
    const [, altered] = ALTERED.exec(line) ?? [];
    if (altered !== undefined) noteChange(objects.get(`table ${altered}`), migration);
    if (kind === 'TABLE') table = name;
    else table = altered ?? (kind !== '' || line.startsWith(')') ? '' : table);
    const column = (ADDED.exec(line) ?? COLUMN.exec(line))?.[1];
    const found =
      kind === '' ? table !== '' && column && `column ${table}.${column}` : `${kind.toLowerCase()} ${name}`;
    if (found) objects.set(found, { migration, comment, changes: [] });
    comment = [];
  }
}

function noteChange(source: Source | undefined, migration: string): void {
  if (source && source.migration !== migration && !source.changes.includes(migration))
    source.changes.push(migration);
}
