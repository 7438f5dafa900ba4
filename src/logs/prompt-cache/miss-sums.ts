import type { Database } from '#storage';
import type { Tenant } from '../log-filter.ts';
import type { MissCode } from './miss.ts';
import { queryInTime } from '../query-in-time.ts';

/** Filters misses. Times are milliseconds since the Unix epoch. */
export interface MissFilter {
  projectId?: string;
  /** Of the requests. */
  since: number;
  until?: number;
}

/** The requests of a project that missed the prompt cache for the same first reason. */
export interface MissSum {
  organizationId: string;
  projectId: string;
  reason: MissCode;
  requests: number;
  tokens: number;
  /** Pico-USD. */
  cost: bigint;
}

/** What misses of prompt caches cost, by project and reason. */
export interface CacheMisses {
  /** The most expensive first. */
  list(filter: MissFilter, tenant: Tenant): Promise<MissSum[]>;
  /** For the operator: of every organization. */
  listAsOperator(filter: MissFilter & Partial<Tenant>): Promise<MissSum[]>;
}

interface StoredSum {
  organization_id: string;
  project_id: string;
  miss_reason: MissCode;
  requests: number;
  tokens: number;
  cost: string;
}

export function createCacheMisses({ database }: { database: Database }): CacheMisses {
  const list = async (filter: MissFilter & Partial<Tenant>): Promise<MissSum[]> =>
    (await queryInTime<StoredSum>(database, selectSums(filter))).map((row) => ({
      ...{ organizationId: row.organization_id, projectId: row.project_id, reason: row.miss_reason },
      ...{ requests: row.requests, tokens: row.tokens, cost: BigInt(row.cost) },
    }));
  return {
    list: (filter, { organizationId }) => list({ ...filter, organizationId }),
    listAsOperator: list,
  };
}

function selectSums(filter: MissFilter & Partial<Tenant>): { text: string; values: unknown[] } {
  const { since, until, organizationId, projectId } = filter;
  const values: unknown[] = [since];
  const only = (condition: string, value: unknown): string =>
    value === undefined ? '' : `AND ${condition.replace('?', `$${values.push(value)}`)}`;
  const text = `
    SELECT organization_id, project_id, miss_reason, count(*)::float8 AS requests,
      sum((cache_miss ->> 'tokens')::bigint)::float8 AS tokens, sum((cache_miss ->> 'cost')::numeric)::text AS cost
    FROM request_log
    WHERE miss_reason IS NOT NULL AND started_at >= to_timestamp($1::float8 / 1000)
      ${only('started_at < to_timestamp(?::float8 / 1000)', until)}
      ${only('organization_id = ?', organizationId)} ${only('project_id = ?', projectId)}
    GROUP BY 1, 2, 3 ORDER BY sum((cache_miss ->> 'cost')::numeric) DESC, 1, 2, 3`;
  return { text, values };
}
