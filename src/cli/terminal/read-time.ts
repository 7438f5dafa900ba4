import { LAST_MOMENT, parseMoment, systemClock } from '#base';
import { InvalidArgumentError, Option } from 'commander';

const SINCE = 'only requests since then: 30m, 2h, 7d or an ISO time';
const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration such as 90s, 30m, 24h or 7d; returns milliseconds. */
function readDuration(text: string): number {
  const duration = findDuration(text);
  if (duration === undefined)
    throw new InvalidArgumentError('Write it as a number and s, m, h or d, such as 24h.');
  return duration;
}

function findDuration(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS[unit];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
}

/** A duration within bounds, which errors name. */
export function readDurationWithin(
  leastMs: number,
  mostMs: number,
  bounds: string,
): (text: string) => number {
  return (text) => {
    const duration = readDuration(text);
    if (duration >= leastMs && duration <= mostMs) return duration;
    throw new InvalidArgumentError(`Write a time from ${bounds}.`);
  };
}

/** Parses a future time: a day, an ISO 8601 time or a duration from now; returns milliseconds since the Unix epoch. */
export function readFuture(text: string, hint = ''): number {
  const now = systemClock.now();
  const duration = findDuration(text);
  const moment = duration === undefined ? parseMoment(text) : now + duration;
  if (moment === undefined || moment > LAST_MOMENT)
    throw new InvalidArgumentError(
      'Write it as 30d, 2030-01-31 or 2030-01-31T12:00:00Z, before the year 10000.',
    );
  if (moment <= now)
    throw new InvalidArgumentError(
      `That time is not in the future. Write one such as 30d or 2030-01-31${hint}.`,
    );
  return moment;
}

/** When a key expires. */
export const readEnd = (text: string): number => readFuture(text, '; `keys disable` ends a key at once');

/** Parses a past time: an age, a day or an ISO 8601 time; returns milliseconds since the Unix epoch. */
export function readSince(text: string): number {
  const age = findDuration(text);
  const moment = age === undefined ? parseMoment(text) : Math.max(0, systemClock.now() - age);
  if (moment === undefined)
    throw new InvalidArgumentError(
      'Write 30m, 2h, 7d, a day such as 2026-11-22, or an ISO time; times are UTC.',
    );
  return moment;
}

/** The option for the start of a time, by both of its names; `usual` is the age it has by default. */
export function createStartOption(help = SINCE, usual?: string): Option {
  const option = new Option('--last, --since <time>', help).argParser(readSince);
  return usual === undefined ? option : option.default(readSince(usual), usual);
}
