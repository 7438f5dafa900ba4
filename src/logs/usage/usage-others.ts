import { type Usage, createUsage } from '#canonical';
import type { UsageLine, UsageReport } from './usage-line.ts';
import type { UsageGroup } from './usage-groups.ts';

interface Wholes {
  by: readonly UsageGroup[];
  /** Of these, the spans of time. */
  times: readonly UsageGroup[];
  /** All usage of each span. */
  wholes: readonly UsageLine[];
}

/** Adds a line for the rest of each span, and the total. */
export function addOthers(lines: readonly UsageLine[], { by, times, wholes }: Wholes): UsageReport {
  if (wholes.length === 0) return { lines: [], total: undefined };
  const total = sumLines(wholes);
  if (by.length === times.length) return { lines: [...lines], total };
  const spanOf = ({ group }: UsageLine): string => times.map((time) => group[time]).join(' ');
  const bySpan = Map.groupBy(lines, spanOf);
  const complete = wholes.flatMap((whole) => {
    const own = bySpan.get(spanOf(whole)) ?? [];
    const other = subtract(whole, sumLines(own));
    if (other.requests === 0) return own;
    const group = Object.fromEntries(by.map((name) => [name, whole.group[name] ?? '']));
    return [...own, { ...other, group, isOther: true }];
  });
  return { lines: complete, total };
}

function sumLines(lines: readonly UsageLine[]): UsageLine {
  const none = { group: {}, isOther: false, requests: 0, usage: createUsage(), customer: '0', provider: '0' };
  return lines.reduce((sum, line) => combine(sum, line, 1), none);
}

const subtract = (whole: UsageLine, part: UsageLine): UsageLine => combine(whole, part, -1);

function combine(one: UsageLine, other: UsageLine, sign: 1 | -1): UsageLine {
  const usage = { ...one.usage };
  for (const part of Object.keys(usage) as (keyof Usage)[]) usage[part] += sign * other.usage[part];
  const addCost = (name: 'customer' | 'provider'): string =>
    String(BigInt(one[name]) + BigInt(sign) * BigInt(other[name]));
  return {
    group: {},
    isOther: false,
    requests: one.requests + sign * other.requests,
    usage,
    customer: addCost('customer'),
    provider: addCost('provider'),
  };
}
