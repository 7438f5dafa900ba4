const whole = new Intl.NumberFormat('en-US');
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LARGE_UNITS = [
  { name: 'days', unitMs: 24 * HOUR_MS, next: 'h', nextMs: HOUR_MS },
  { name: 'h', unitMs: HOUR_MS, next: 'min', nextMs: MINUTE_MS },
  { name: 'min', unitMs: MINUTE_MS, next: 's', nextMs: 1_000 },
] as const;
const toText = (date: Date): string => date.toISOString().slice(0, 19).replace('T', ' ');

/** A time in the viewer's zone, and in UTC: both as ISO 8601 has them, in whole seconds. */
export function formatMoment(iso: string): { local: string; utc: string } {
  const date = new Date(iso);
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS);
  return { local: toText(shifted), utc: `${toText(date)} UTC` };
}

const DAY_CHARACTERS = 10;

/** A time in the viewer's zone and what of UTC differs: its zone alone, its time, or its date, too. */
export function formatBeside(iso: string): { local: string; utc: string } {
  const { local, utc } = formatMoment(iso);
  if (`${local} UTC` === utc) return { local, utc: 'UTC' };
  return { local, utc: utc.replace(`${local.slice(0, DAY_CHARACTERS)} `, '') };
}

/** A time in the viewer's zone, with UTC beside, in a sentence. */
export function writeMoment(iso: string): string {
  const { local, utc } = formatBeside(iso);
  return utc === 'UTC' ? `${local} UTC` : `${local} (${utc})`;
}

export const formatCount = (count: number): string => whole.format(count);
/** A count with what is counted: “1 request”, “2,000 requests”. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;
export const formatShort = (count: number): string =>
  count < 10_000 ? whole.format(count) : short.format(count);

/** An exact decimal of USD, shortened for reading; never to zero. */
export function shortenUsd(exact: string): string {
  if (exact.startsWith('-')) return `−${shortenUsd(exact.slice(1))}`;
  const amount = Number(exact);
  if (amount === 0) return '$0';
  if (amount < 0.000001) return '< $0.000001';
  if (amount >= 10_000) return `$${amount.toLocaleString('en-US', { maximumFractionDigits: 0 })}`;
  const digits = amount >= 10 ? 2 : amount >= 0.01 ? 4 : 6;
  // Amounts in a column have the same number of decimals; whole cents as usual.
  const least = digits === 4 && !Number.isInteger(Number((amount * 100).toFixed(4))) ? 4 : 2;
  return `$${amount.toLocaleString('en-US', { minimumFractionDigits: least, maximumFractionDigits: digits })}`;
}

/** The same beside another amount, from which it differs visibly: `< $50.00` of $50.00. */
export function shortenBeside(exact: string, other: string): string {
  const text = shortenUsd(exact);
  const difference = Number(exact) - Number(other);
  if (text !== shortenUsd(other) || difference === 0) return text;
  return `${difference < 0 ? '<' : '>'} ${text}`;
}

/** An exact decimal of USD with every digit, where a reader adds up or decides. */
export function writeUsd(exact: string): string {
  if (exact.startsWith('-')) return `−${writeUsd(exact.slice(1))}`;
  const [units = '', ...part] = exact.split('.');
  return `$${[units.replaceAll(/\B(?=(\d{3})+$)/g, ','), ...part].join('.')}`;
}

/** A price with every digit, and two decimals at least: prices are compared. */
export const writePrice = (exact: string): string =>
  writeUsd(exact.replace(/^\d+$/, '$&.00').replace(/\.\d$/, '$&0'));

/** Whether an amount has digits that its short form lacks. */
export function isShortened(exact: string): boolean {
  return Number(shortenUsd(exact).replace('−', '-').replaceAll(/[$,]/g, '')) !== Number(exact);
}

/** A part of 1 as a percentage: only nothing is 0 %, and only all is 100 %. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  if (percent < 100 && percent > 99.9) return '> 99.9 %';
  const digits = percent === 0 || percent === 100 ? 0 : 1;
  return `${percent.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: 1 })} %`;
}

/** From two minutes on in two units, such as “3 h 20 min”. */
export function formatMs(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const large = LARGE_UNITS.find(({ unitMs }) => ms >= 2 * unitMs);
  if (large) {
    const { name, unitMs, next, nextMs } = large;
    const rest = Math.floor((ms % unitMs) / nextMs);
    return `${Math.floor(ms / unitMs)} ${name}${rest === 0 ? '' : ` ${rest} ${next}`}`;
  }
  const seconds = (ms / 1_000).toFixed(ms < 10_000 ? 2 : 1);
  // Times in a column have the same number of decimals; whole seconds as usual.
  return `${Number.isInteger(Number(seconds)) ? Number(seconds) : seconds} s`;
}

/** A time that may be unknown. */
export function formatTime(ms: number | null | undefined): string {
  return typeof ms === 'number' ? formatMs(ms) : '–';
}

/** Tokens per second. */
export function formatRate(msPerToken: number | null | undefined): string {
  if (!msPerToken) return '–';
  return (1_000 / msPerToken).toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

const PLACES = 12;

/** Exact decimals of USD, added without rounding. */
export function addUsd(amounts: readonly string[]): string {
  const sum = amounts.reduce((total, amount) => total + toPico(amount), 0n);
  return fromPico(sum);
}

function fromPico(pico: bigint): string {
  const digits = pico.toString().padStart(PLACES + 1, '0');
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`.replace(/\.?0+$/, '');
}

/** What is left of an amount; not less than nothing. */
export function subtractUsd(amount: string, less: string): string {
  const left = toPico(amount) - toPico(less);
  return fromPico(left < 0n ? 0n : left);
}

function toPico(amount: string): bigint {
  const [units = '0', part = ''] = amount.split('.');
  return BigInt(units + part.padEnd(PLACES, '0'));
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const amount = (bytes / 1_024 ** power).toLocaleString('en-US', { maximumFractionDigits: 1 });
  return `${amount} ${UNITS[power]}`;
}

const MILLION_PLACES = 6;

/** USD per token as USD per million tokens, without rounding. */
export function toPerMillion(price: string): string {
  const [units = '', part = ''] = price.split('.');
  const digits = units + part.slice(0, MILLION_PLACES).padEnd(MILLION_PLACES, '0');
  const rest = part.slice(MILLION_PLACES);
  return `${digits.replace(/^0+(?=\d)/, '')}${rest === '' ? '' : `.${rest}`}`
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '');
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
