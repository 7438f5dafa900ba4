import type { Usage } from '#canonical';
import type { UsageGroup } from './usage-groups.ts';

/** The usage and cost of some requests. */
export interface UsageLine {
  /** The values the line is grouped by; '' for an unknown one. */
  group: Partial<Record<UsageGroup, string>>;
  /** All combinations beyond the first ones; their values in `group` are ''. */
  isOther: boolean;
  requests: number;
  usage: Usage;
  /** Pico-USD in decimal digits. */
  customer: string;
  provider: string;
}

/** Lines of usage and their sum; no sum if there is none. */
export interface UsageReport {
  lines: UsageLine[];
  total: UsageLine | undefined;
}
