import { formatUsd } from '#base';
import { epochMs } from '#storage';
import type { Caller } from '../caller.ts';
import { BUDGET_KINDS, type BudgetKind, LIMITS } from './select-budgets.ts';

/** A limit in USD that a caller's requests must fit in: amounts as decimal strings, times in ISO 8601. */
export interface CallerLimit {
  kind: BudgetKind;
  limit: string;
  usage: string;
  /** Never negative. */
  remaining: string;
  /** For a limit that renews, once a period has begun. */
  resetsAt: string | null;
}

export interface LimitRow {
  kind: BudgetKind;
  lim: string;
  used: string;
  /** Milliseconds since the Unix epoch. */
  resets_at: number | null;
}

/** The limits of the organization `$1` at the moment `$2` that belong to one of `$4`, as a JSON array of rows. */
export const LIMITS_OF_CALLER = `
  (WITH clock AS MATERIALIZED (SELECT ledger_now($2) AS now)
  SELECT COALESCE(json_agg(json_build_object('kind', l.kind, 'lim', l.lim::text, 'used', l.used::text,
    'resets_at', ${epochMs('l.ends_at')})), '[]')
  FROM (${LIMITS}) AS l WHERE l.organization_id = $1 AND l.subject_id = ANY ($4))`;

/** The owners of the limits that apply to a caller. */
export const listLimitOwners = ({ keyId, memberId, projectId, organizationId }: Caller): string[] =>
  [keyId, memberId, projectId, organizationId].filter((id) => id !== undefined);

/** In the order of their kinds. */
export function toCallerLimits(rows: readonly LimitRow[]): CallerLimit[] {
  const place = ({ kind }: LimitRow): number => BUDGET_KINDS.indexOf(kind);
  return rows
    .toSorted((a, b) => place(a) - place(b))
    .map(({ kind, lim, used, resets_at: resetsAt }) => ({
      kind,
      limit: formatUsd(BigInt(lim)),
      usage: formatUsd(BigInt(used)),
      remaining: formatRemaining(lim, used),
      resetsAt: resetsAt === null ? null : new Date(resetsAt).toISOString(),
    }));
}

/** Never negative. */
export function formatRemaining(limit: string, used: string): string {
  const left = BigInt(limit) - BigInt(used);
  return formatUsd(left > 0n ? left : 0n);
}
