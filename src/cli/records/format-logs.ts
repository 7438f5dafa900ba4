import type { StoredPayload } from '#app';
import { type JsonObject, formatCount, formatTime } from '#base';

const NAME_WIDTH = 19;
const IN_USD: ReadonlySet<string> = new Set(['cost', 'provider_cost', 'cache_saved', 'amount']);

/** One row as text: the members of its JSON that have a value, a line for each and for each entry of a list. */
export function formatRow(row: JsonObject): string[] {
  return Object.entries(row).flatMap(([name, value]) =>
    name === 'object'
      ? []
      : (Array.isArray(value) ? value : [value])
          .map((one: unknown) => formatValue(name, one))
          .filter((text) => text !== '')
          .map((text) => `${name.padEnd(NAME_WIDTH)} ${text}`),
  );
}

function formatValue(name: string, value: unknown): string {
  if (value === null || value === undefined) return '';
  if (name === 'cache_miss') return formatMiss(value as EncodedMiss);
  if (Array.isArray(value)) return value.map((one: unknown) => `(${formatValue(name, one)})`).join(' ');
  if (typeof value === 'object')
    return Object.entries(value)
      .filter(([, member]) => member !== 0)
      .map(([member, amount]) => [member, formatValue(member, amount)])
      .filter(([, text]) => text !== '')
      .map((pair) => pair.join(' '))
      .join(', ');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return IN_USD.has(name) ? `${text} USD` : text;
}

interface EncodedMiss {
  text: string;
  tokens: number;
  cost: string;
}

/** Why a request missed the prompt cache, and what that cost. */
const formatMiss = ({ text, tokens, cost }: EncodedMiss): string =>
  `${text}: ${formatCount(tokens, 'token')}, ${cost} USD`;

/** A payload as text. */
export function formatPayload({ request, answer, expiresAt }: StoredPayload): string[] {
  const part = (name: string, { text, bytes, isCut }: StoredPayload['request']): string[] => [
    `--- ${name}, ${formatCount(bytes, 'byte')}${isCut ? ', cut' : ''}`,
    text,
  ];
  return [
    `kept until ${formatTime(expiresAt)}`,
    ...part('request', request),
    `--- headers of the answer, ${answer.status}`,
    ...Object.entries(answer.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...part('answer', answer),
  ];
}
