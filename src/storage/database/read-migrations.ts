import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { packageRoot } from '#base';

/** One step of the schema: its statements are applied once and never change, its functions may. */
export interface Migration {
  /** File name without its ending, such as `0001_accounts`; the order of names is the order of steps. */
  name: string;
  sql: string;
  /** The definitions of its functions, which are part of `sql`. */
  functions: readonly string[];
  /** The checksum of its other statements. */
  checksum: string;
}

const DIRECTORY = new URL('src/storage/migrations/', packageRoot);
const FILE = /^(\d{4})_[a-z0-9_]+\.sql$/;
const FUNCTION = /^CREATE OR REPLACE FUNCTION [^]*?^(?:END )?\$\$;\n/gm;
const COMMENT_OR_BLANK = /^(?:--[^\n]*)?\n/gm;

/** Reads the migrations of a directory (this program's own by default) in order. */
export async function readMigrations(directory: URL = DIRECTORY): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort();
  const numbers = files.map((file) => FILE.exec(file)?.[1]);
  files.forEach((file, index) => {
    if (numbers[index] === undefined) throw new Error(`${file} is not a migration: expected NNNN_name.sql`);
    if (numbers[index] === numbers[index - 1])
      throw new Error(`${file} and ${files[index - 1] ?? ''} have the same number`);
  });
  return Promise.all(files.map((file) => readMigration(directory, file)));
}

/** SHA-256 of the functions of all migrations. */
export function digestFunctions(migrations: readonly Migration[]): string {
  return digest(migrations.flatMap(({ functions }) => functions).join(''));
}

async function readMigration(directory: URL, file: string): Promise<Migration> {
  const sql = (await readFile(new URL(file, directory), 'utf8')).replaceAll('\r\n', '\n');
  return {
    name: file.slice(0, -'.sql'.length),
    sql,
    functions: sql.match(FUNCTION) ?? [],
    checksum: digest(sql.replace(FUNCTION, '').replace(COMMENT_OR_BLANK, '')),
  };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
