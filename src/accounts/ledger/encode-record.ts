import { toStorableText } from '#base';

/** A column of a record, or `undefined` for NULL. */
export type Column = string | number | bigint | boolean | undefined;

/** Needs no quotes and no escapes. */
const PLAIN = /^[\w.:+/-]+$/;
/** What has a meaning within the quotes of a record. */
const SPECIAL = /["\\]/g;

/** The text of an array of records, as PostgreSQL reads it. */
export function encodeRecords(records: readonly (readonly Column[])[]): string {
  let text = '';
  for (const columns of records) {
    text += text === '' ? '"(' : ',"(';
    for (let at = 0; at < columns.length; at += 1) {
      if (at > 0) text += ',';
      text += encodeColumn(columns[at]);
    }
    text += ')"';
  }
  return `{${text}}`;
}

/** Quoted for the record and, because the record itself is quoted in the array, escaped once more. */
function encodeColumn(value: Column): string {
  if (typeof value !== 'string') return value === undefined ? '' : String(value);
  if (PLAIN.test(value)) return value;
  return `\\"${toStorableText(value).replaceAll(SPECIAL, '\\\\\\$&')}\\"`;
}
