import type { Statement } from '#storage';
import { type Tenant, type Tenants, within } from '../rows/log-filter.ts';
import type { MissCode } from '../rows/miss.ts';
import { type ReaderPorts, queryInTime } from '../query-in-time.ts';

/** Filters misses. Times are milliseconds since the Unix epoch. */
interface MissFilter {
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
  /** The most expensive of them, five at most. */
  requestIds: readonly string[];
}

/** The requests of a project in which the gateway set cache marks. */
export interface SavedSum {
  organizationId: string;
  projectId: string;
  requests: number;
  /** Pico-USD; negative where more was written than read. */
  saved: bigint;
}

export interface CacheReport {
  /** The most expensive first. */
  misses: MissSum[];
  /** Those that saved most first. */
  marks: SavedSum[];
}

/** What misses of prompt caches cost, by project and reason, and what marks saved that the gateway set. */
export interface CacheMisses {
  list(filter: MissFilter, tenants: Tenants): Promise<CacheReport>;
}

interface StoredSum {
  organization_id: string;
  project_id: string;
  miss_reason: MissCode;
  requests: number;
  tokens: number;
  cost: string;
  request_ids: string[];
}

interface StoredSaved {
  organization_id: string;
  project_id: string;
  requests: number;
  saved: string;
}

export function createCacheMisses(ports: ReaderPorts): CacheMisses {
  return {
    list: async (wanted, tenants) => {
      const filter = within(wanted, tenants);
      const misses = await queryInTime<StoredSum>(ports, tenants, selectSums(filter));
      const marks = await queryInTime<StoredSaved>(ports, tenants, selectSaved(filter));
      return {
        misses: misses.map((row) => ({
          organizationId: row.organization_id,
          projectId: row.project_id,
          reason: row.miss_reason,
          requests: row.requests,
          tokens: row.tokens,
          cost: BigInt(row.cost),
          requestIds: row.request_ids,
        })),
        marks: marks.map((row) => ({
          organizationId: row.organization_id,
          projectId: row.project_id,
          requests: row.requests,
          saved: BigInt(row.saved),
        })),
      };
    },
  };
}

function selectSums(filter: MissFilter & Partial<Tenant>): Statement {
  const { conditions, values } = readConditions(filter);
  const text = `
    SELECT organization_id, project_id, miss_reason, count(*)::float8 AS requests,
      sum((cache_miss ->> 'tokens')::bigint)::float8 AS tokens, sum((cache_miss ->> 'cost')::numeric)::text AS cost,
      (array_agg(request_id ORDER BY (cache_miss ->> 'cost')::numeric DESC, request_id))[1:5] AS request_ids
    FROM request_log WHERE miss_reason IS NOT NULL AND ${conditions}
    GROUP BY 1, 2, 3 ORDER BY sum((cache_miss ->> 'cost')::numeric) DESC, 1, 2, 3`;
  return { text, values };
}

function selectSaved(filter: MissFilter & Partial<Tenant>): Statement {
  const { conditions, values } = readConditions(filter);
  const text = `
    SELECT organization_id, project_id, count(*)::float8 AS requests, sum(cache_saved)::text AS saved
    FROM request_log WHERE cache_saved IS NOT NULL AND ${conditions}
    GROUP BY 1, 2 ORDER BY sum(cache_saved) DESC, 1, 2`;
  return { text, values };
}

function readConditions({ since, until, organizationId, projectId }: MissFilter & Partial<Tenant>): {
  conditions: string;
  values: unknown[];
} {
  const values: unknown[] = [since];
  const conditions = ['started_at >= to_timestamp($1::float8 / 1000)'];
  const only = (condition: string, value: unknown): void => {
    if (value !== undefined) conditions.push(condition.replace('?', `$${values.push(value)}`));
  };
  only('started_at < to_timestamp(?::float8 / 1000)', until);
  only('organization_id = ?', organizationId);
  only('project_id = ?', projectId);
  return { conditions: conditions.join(' AND '), values };
}
