import type { PicoUsd } from '#base';
import type { CanonicalRequest, ToolUse } from '#canonical';
import type { HostedTool, UnitCount } from '#catalogue';
import type { RequestedTool } from '#wire';
import { chooseToolKind, toToolKey } from '#catalogue';
import { changeTools, findMostCalls, includesToolType } from '#wire';

/** The hosted tools a request would send to one mapping, and their cost there. */
export interface ToolPlan {
  /** The most they may cost. */
  amount: PicoUsd;
  /** How often the provider may read the prompt: again after each round of tools. */
  readings: number;
  /** The request as sent there. */
  prepare(request: CanonicalRequest): CanonicalRequest;
  /** The billed units of an answer that took this long. */
  count(uses: readonly ToolUse[], elapsedMs: number): UnitCount[];
}

/** A requested tool with its price. */
export interface PricedTool extends RequestedTool {
  entry: HostedTool;
  /** The price of its more detailed report, if there is one. */
  exactEntry?: HostedTool | undefined;
}

/** What a plan is created from. */
interface Planned {
  request: CanonicalRequest;
  tools: readonly PricedTool[];
  dropped: ReadonlySet<string>;
}

/** Prices the hosted tools of a request at one mapping. */
export function createToolPlan({ request, tools, dropped }: Planned): ToolPlan {
  const charged = tools.filter(
    ({ entry }) => entry.per !== 'tokens' && !includesToolType(tools, entry.freeWith),
  );
  const calls = findMostCalls(request);
  const most = calls === undefined ? findBounds(charged) : new Map<string, number>();
  return {
    amount: holdFor(charged, calls),
    readings: 1 + Math.max(0, ...tools.map((tool) => findMostRounds(tool, calls))),
    prepare: (sent) => (dropped.size + most.size === 0 ? sent : changeTools(sent, { dropped, most })),
    count: (uses, elapsedMs) => countUnits(charged, uses, elapsedMs),
  };
}

/** Anthropic ends an answer after ten rounds; other providers have no limit of their own, and hardly go further. */
const MOST_ROUNDS = 10;

/** A tool that is charged by the prompt adds to it before it is read. */
function findMostRounds({ entry, most = MOST_ROUNDS }: PricedTool, calls = MOST_ROUNDS): number {
  return entry.per === 'prompt' ? 0 : Math.min(MOST_ROUNDS, most, calls);
}

/** Limits sent if the caller sets none, so that no answer costs far more than is held. */
function findBounds(tools: readonly PricedTool[]): Map<string, number> {
  return new Map(
    tools
      .filter(({ entry, most }) => entry.isBound && most === undefined)
      .map(({ tool, entry }) => [tool, entry.most]),
  );
}

/** The most the tools may cost: each up to its own limit; with a joint limit, the most expensive tool that often. */
function holdFor(tools: readonly PricedTool[], calls: number | undefined): PicoUsd {
  let sum = 0n;
  let mostExpensive = 0n;
  for (const tool of tools) {
    const { entry, kind, most = entry.most } = tool;
    const price = entry.amounts[chooseToolKind(entry, kind ?? '')] ?? 0n;
    const isByUse = entry.per === 'call' || entry.per === 'container';
    sum += price * BigInt(isByUse ? most : entry.most);
    if (isByUse && price > mostExpensive) mostExpensive = price;
  }
  const all = mostExpensive * BigInt(calls ?? 0);
  return calls !== undefined && !tools.some(({ entry }) => entry.per === 'hour')
    ? all
    : sum > all
      ? sum
      : all;
}

/** Each use is charged by the first tool that answers report it for. */
function countUnits(tools: readonly PricedTool[], uses: readonly ToolUse[], elapsedMs: number): UnitCount[] {
  const left = new Set(uses);
  const take = (isOwn: (use: ToolUse) => boolean): ToolUse[] => {
    const own = [...left].filter(isOwn);
    for (const use of own) left.delete(use);
    return own;
  };
  const units = tools.flatMap((tool) => {
    const own = take((use) => tool.answers.includes(use.tool));
    const exact = tool.exactEntry ? take((use) => use.tool === tool.exact) : [];
    if (tool.exactEntry && exact.length > 0)
      return toUnits({ ...tool, entry: tool.exactEntry }, exact, elapsedMs);
    return own.length > 0 || tool.entry.always ? toUnits(tool, own, elapsedMs) : [];
  });
  return mergeUnits(units);
}

function toUnits({ entry, kind = '' }: PricedTool, uses: readonly ToolUse[], elapsedMs: number): UnitCount[] {
  switch (entry.per) {
    case 'prompt':
      return [{ unit: 'tool', kind: keyOf(entry, kind, uses.at(-1)), count: 1 }];
    case 'hour': {
      const count = Math.max(entry.leastMs, Math.ceil(elapsedMs));
      return [{ unit: 'tool-ms', kind: keyOf(entry, kind, undefined), count }];
    }
    default:
      return uses.map((use) => ({ unit: 'tool', kind: keyOf(entry, kind, use), count: use.count }));
  }
}

/** Key parts that the answer does not name are the request's. */
function keyOf(entry: HostedTool, asked: string, use: ToolUse | undefined): string {
  const own = use?.kind?.split(':') ?? [];
  const reported = asked.split(':');
  const parts = Array.from(
    { length: Math.max(own.length, reported.length) },
    (_, at) => own[at] || reported[at] || '',
  );
  return toToolKey(entry.tool, chooseToolKind(entry, parts.join(':')));
}

/** Units of several answers or uses, summed by kind. */
export function mergeUnits(units: readonly UnitCount[]): UnitCount[] {
  const merged = new Map<string, UnitCount>();
  for (const counted of units) {
    const key = `${counted.unit} ${counted.kind ?? ''}`;
    const known = merged.get(key);
    merged.set(key, known ? { ...known, count: known.count + counted.count } : counted);
  }
  return [...merged.values()];
}
