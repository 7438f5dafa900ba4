import type { PicoUsd } from '#base';
import type { HostedToolEntry, ToolMeasure } from './schema/hosted-tool-schema.ts';
import { readUsd } from './schema/usd.ts';

/** The price of a tool that runs at the provider, for one mapping. */
export interface HostedTool {
  /** The tool's name, or a pattern of names. */
  tool: string;
  per: ToolMeasure;
  /** Price by kind; the price without a kind is under the empty string. */
  amounts: Readonly<Record<string, PicoUsd>>;
  /** The kind of a request that names none. */
  defaultKind: string;
  /** Units held if the caller sets no limit. */
  most: number;
  /** Whether `most` is sent as the limit if the caller sets none. */
  isBound: boolean;
  /** The minimum time charged per use, in milliseconds. */
  leastMs: number;
  freeWith: readonly string[];
  /** Whether every request uses it. */
  always: boolean;
  refused?: string;
}

const MOST_CALLS = 10;
const MINUTE_MS = 60_000;

/** The entries for one model, in order. Throws RangeError naming an entry that contradicts itself. */
export function selectTools(entries: readonly HostedToolEntry[], modelId: string): HostedTool[] {
  return entries
    .filter(({ models }) => !models || models.some((pattern) => fitsPattern(pattern, modelId)))
    .map(toTool);
}

function toTool(entry: HostedToolEntry): HostedTool {
  const { tool, per = 'tokens', usd, refused } = entry;
  if ((usd === undefined) !== (per === 'tokens'))
    throw new RangeError(
      `hostedTools.${tool}: usd is for tools that are charged by call, prompt, container or hour`,
    );
  const amounts = typeof usd === 'string' ? { '': usd } : (usd ?? {});
  return {
    tool,
    per,
    amounts: Object.fromEntries(
      Object.entries(amounts).map(([kind, text]) => [kind, readUsd(`hostedTools.${tool}`, text)]),
    ),
    defaultKind: entry.default ?? '',
    most: entry.most ?? (per === 'call' ? MOST_CALLS : 1),
    isBound: entry.bound ?? false,
    leastMs: (entry.leastMinutes ?? 0) * MINUTE_MS,
    freeWith: entry.freeWith ?? [],
    always: entry.always ?? false,
    ...(refused !== undefined && { refused }),
  };
}

/** The entry that prices a tool. */
export function findHostedTool(
  tools: readonly HostedTool[] | undefined,
  name: string,
): HostedTool | undefined {
  return tools?.find(({ tool }) => fitsPattern(tool, name));
}

/** `*` matches any letters. */
function fitsPattern(pattern: string, name: string): boolean {
  if (!pattern.includes('*')) return pattern === name;
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop() ?? '';
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last))
    return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > name.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

/**
 * The kind whose price is charged for a requested one, such as `gpt-image-1:high:1024x1024`. Missing parts default to
 * those of the default kind, a part unknown to every kind matches any except in first place, and of several matches the
 * most expensive counts.
 */
export function findToolKind({ amounts, defaultKind }: HostedTool, wanted = ''): string | undefined {
  if (Object.hasOwn(amounts, '')) return '';
  const known = defaultKind.split(':');
  const reported = wanted.split(':');
  const parts = Array.from({ length: Math.max(known.length, reported.length) }, (_, at) => {
    const part = reported[at] ?? '';
    return part === '' || part === 'auto' ? (known[at] ?? '*') : part;
  });
  for (let loose = parts.length; loose > 0; loose -= 1) {
    const fitting = Object.keys(amounts).filter((kind) => fitsParts(kind, parts.slice(0, loose)));
    if (fitting.length > 0) return findMostExpensive(amounts, fitting);
  }
  return undefined;
}

function fitsParts(kind: string, parts: readonly string[]): boolean {
  const own = kind.split(':');
  return parts.every((part, at) => part === '*' || part === '' || part === own[at]);
}

function findMostExpensive(amounts: HostedTool['amounts'], kinds: readonly string[]): string | undefined {
  return kinds.reduce<string | undefined>(
    (mostExpensive, kind) =>
      mostExpensive === undefined || (amounts[kind] ?? 0n) > (amounts[mostExpensive] ?? 0n)
        ? kind
        : mostExpensive,
    undefined,
  );
}

/** The kind charged for a use of unknown kind: never a free one. */
export function chooseToolKind(tool: HostedTool, wanted: string): string {
  return findToolKind(tool, wanted) ?? findMostExpensive(tool.amounts, Object.keys(tool.amounts)) ?? '';
}

/** A tool's key in prices and on bills. */
export function toToolKey(tool: string, kind: string): string {
  return kind === '' ? tool : `${tool}:${kind}`;
}

/** The prices of tools by their keys on bills. */
export function listToolPrices(tools: readonly HostedTool[]): Record<string, PicoUsd> {
  const prices: Record<string, PicoUsd> = {};
  for (const { tool, amounts } of tools) {
    for (const [kind, amount] of Object.entries(amounts)) prices[toToolKey(tool, kind)] ??= amount;
  }
  return prices;
}
