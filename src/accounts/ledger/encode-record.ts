import { toStorableText } from '#base';

/** A column of a record: text as it is, or `undefined` for NULL. */
export type Column = string | undefined;

/** Needs no quotes and no escapes. */
const PLAIN = /^[\w.:+-]+$/;
/** What has a meaning within the quotes of a record. */
const SPECIAL = /["\\]/g;

/** The text of an array of records, as PostgreSQL reads it. */
export function encodeRecords(records: readonly (readonly Column[])[]): string {
  return `{${records.map((columns) => `"(${columns.map(encodeColumn).join(',')})"`).join(',')}}`;
}

/** Quoted for the record and, because the record itself is quoted in the array, escaped once more. */
function encodeColumn(value: Column): string {
  if (value === undefined || PLAIN.test(value)) return value ?? '';
  return `\\"${toStorableText(value).replaceAll(SPECIAL, (special) => `\\\\\\${special}`)}\\"`;
}
