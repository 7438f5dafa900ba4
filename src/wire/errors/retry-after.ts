import { type HttpHeaders, type Clock, systemClock } from '#base';

const LEAST_SECONDS = 1;
const MOST_SECONDS = 3600;
const DATE = /^[A-Za-z]{3,9},? .*\d|^\d{4}-\d{2}-\d{2}T/;

/** Seconds an upstream asks to wait, clamped to 1…3600; `undefined` if absent or unreadable. */
export function parseRetryAfter(headers: HttpHeaders, clock: Clock = systemClock): number | undefined {
  const ms = toNumber(headers['retry-after-ms']);
  if (ms !== undefined) return clamp(ms / 1000);
  const seconds = toNumber(headers['retry-after']);
  if (seconds !== undefined) return clamp(seconds);
  const until = toTime(headers['retry-after']);
  if (until === undefined) return undefined;
  // The date is relative to the peer's own clock, where it sends one.
  return clamp((until - (toTime(headers['date']) ?? clock.now())) / 1000);
}

function clamp(seconds: number): number {
  return Math.min(MOST_SECONDS, Math.max(LEAST_SECONDS, Math.ceil(seconds)));
}

function first(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value)?.trim() ?? '';
}

function toNumber(value: string | string[] | undefined): number | undefined {
  const text = first(value);
  const number = Number(text);
  return text === '' || !Number.isFinite(number) ? undefined : number;
}

function toTime(value: string | string[] | undefined): number | undefined {
  const text = first(value);
  const time = DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
