import { systemClock } from '#base';
import { InvalidArgumentError } from 'commander';

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A length of time that was typed, such as 90s, 30m, 24h or 7d; gives milliseconds. */
export function readDuration(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS[unit];
  if (unitMs === undefined)
    throw new InvalidArgumentError('Write it as a number and s, m, h or d, such as 24h.');
  return Number(count) * unitMs;
}

/** A moment that was typed: a date, a time of ISO 8601, or a length of time from now; milliseconds since the Unix epoch. */
export function readMoment(text: string): number {
  if (/^\d+[smhd]$/.test(text)) return systemClock.now() + readDuration(text);
  const moment = /^\d{4}-\d{2}-\d{2}/.test(text) ? new Date(text).getTime() : NaN;
  if (Number.isFinite(moment)) return moment;
  throw new InvalidArgumentError('Write it as 30d, 2027-01-31 or 2027-01-31T12:00:00Z.');
}

/** The same where `none` stands for never. */
export function readMomentOrNone(text: string): number | null {
  return text === 'none' ? null : readMoment(text);
}
