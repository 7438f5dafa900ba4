import { toStorableText } from '#base';

/** A column of a record, or `undefined` for NULL. */
export type Column = string | number | bigint | boolean | undefined;

/** Needs no quotes and no escapes. */
const PLAIN = /^[\w.:+/-]+$/;
/** What `JSON.stringify` escapes otherwise than PostgreSQL reads it. */
const CONTROL = /\p{Cc}/u;
/** Characters with a meaning within quotes. */
const SPECIAL = /["\\]/g;

/** The text of an array of records, as PostgreSQL reads it. */
export function encodeRecords(records: readonly (readonly Column[])[]): string {
  return `{${records.map(encodeRecord).join(',')}}`;
}

/** Quoted once more, because it is an element of an array. */
function encodeRecord(columns: readonly Column[]): string {
  return quote(`(${columns.map(encodeColumn).join(',')})`);
}

/** Values other than texts are printed by `join` as PostgreSQL reads them. */
function encodeColumn(value: Column): Column {
  return typeof value !== 'string' || PLAIN.test(value) ? value : quote(toStorableText(value));
}

/** `JSON.stringify` quotes as PostgreSQL does, and leaves less garbage than a replacement. */
function quote(text: string): string {
  return CONTROL.test(text) ? `"${text.replaceAll(SPECIAL, '\\$&')}"` : JSON.stringify(text);
}
