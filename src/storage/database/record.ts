import type { PicoUsd } from '#base';

/** A member of a record: the SQL that selects it, and how its value is read. */
interface Column<Value, IsOptional extends boolean = boolean> {
  sql: string;
  read(value: unknown): Value;
  /** Whether the record omits it where it is null. */
  isOptional: IsOptional;
}

export const column = <Value>(
  sql: string,
  read: (value: unknown) => Value = (value) => value as Value,
): Column<Value, false> => ({ sql, read, isOptional: false });

export const amount = (sql: string): Column<PicoUsd, false> =>
  column(`(${sql})::text`, (text) => BigInt(text as string));

/** The SQL of a moment as milliseconds since the Unix epoch, which the driver reads as a number. */
export const epochMs = (moment: string): string => `round(extract(epoch FROM ${moment}) * 1000)::float8`;

/** Milliseconds since the Unix epoch. */
export const moment = (sql: string): Column<number, false> => column(epochMs(sql));

export const orNull = <Value>({ sql, read }: Column<Value>): Column<Value | null, false> =>
  column(sql, (value) => (value === null ? null : read(value)));

export const ifSet = <Value>(of: Column<Value>): Column<Value, true> => ({ ...of, isOptional: true });

type Columns = Readonly<Record<string, Column<unknown>>>;
type ValueOf<Of> = Of extends Column<infer Value> ? Value : never;
type OptionalOf<All> = {
  [Name in keyof All]: All[Name] extends Column<unknown, true> ? Name : never;
}[keyof All];
type Flat<Type> = { [Name in keyof Type]: Type[Name] };
type Selected<All> = Flat<
  { -readonly [Name in Exclude<keyof All, OptionalOf<All>>]: ValueOf<All[Name]> } & {
    -readonly [Name in OptionalOf<All>]?: ValueOf<All[Name]>;
  }
>;

/** What a row of the selected columns is read as. */
export interface RecordType<Record extends object> {
  /** The columns, for `SELECT` and `RETURNING`. */
  columns: string;
  read(row: object): Record;
}

export type RecordOf<Type> = Type extends RecordType<infer Record> ? Record : never;

/** A record by its members; `more` reads some from several columns. */
export function defineRecord<const All extends Columns, More extends object = object>(
  all: All,
  more?: { columns: string; read(row: never): More },
): RecordType<Selected<All> & More> {
  const members = Object.entries(all);
  const columns = members.map(([name, { sql }]) => `${sql} AS "${name}"`);
  return {
    columns: [...columns, ...(more ? [more.columns] : [])].join(', '),
    read: (row) => {
      const record: { [name: string]: unknown } = { ...more?.read(row as never) };
      for (const [name, { read, isOptional }] of members) {
        const value: unknown = Reflect.get(row, name);
        if (value !== null || !isOptional) record[name] = read(value);
      }
      return record as Selected<All> & More;
    },
  };
}
