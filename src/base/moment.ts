const DAY_MS = 86_400_000;
/** The last millisecond of the year 9999: later years have five digits, which few programs can read. */
export const LAST_MOMENT = Date.UTC(9999, 11, 31) + DAY_MS - 1;

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/**
 * Parses an ISO 8601 date or time, in UTC unless it names a zone, to milliseconds since the Unix epoch; `undefined` if
 * it is invalid. `Date` alone would read 31 February as a day in March, and a time without a zone as local time.
 */
export function parseMoment(text: string): number | undefined {
  const [, day = '', time = '00:00', zone = 'Z'] = MOMENT.exec(text) ?? [];
  const midnight = Date.parse(day);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return undefined;
  const moment = Date.parse(`${day}T${time}${zone}`);
  return Number.isNaN(moment) || moment > LAST_MOMENT ? undefined : moment;
}

/** A time in UTC, to the second. */
export function formatTime(milliseconds: number | undefined): string {
  return milliseconds === undefined
    ? '–'
    : new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

/** A time in JSON; null for one that is absent. */
export function encodeTime(milliseconds: number): string;
export function encodeTime(milliseconds: number | undefined): string | null;
export function encodeTime(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : new Date(milliseconds).toISOString();
}
