import type { StorePorts } from '../store-ports.ts';
import { createNotFound } from '../read-input.ts';
import {
  type RateLimitStore,
  type RateLimitChange,
  type RateLimits,
  parseRateLimits,
  readRateLimitChange,
} from './rate-limits.ts';

const CHANGE = `SET rate_limits = jsonb_strip_nulls(COALESCE(rate_limits, '{}') || $2::jsonb) WHERE id = $1`;
const CHANGES = {
  api_key: `UPDATE api_key ${CHANGE} AND deleted_at IS NULL RETURNING rate_limits`,
  organization: `UPDATE organization ${CHANGE} RETURNING rate_limits`,
};

export function createRateLimitStore({
  database,
  onChange,
}: Pick<StorePorts, 'database' | 'onChange'>): RateLimitStore {
  const set = async (
    table: keyof typeof CHANGES,
    id: string,
    change: RateLimitChange,
  ): Promise<RateLimits> => {
    const { rows } = await database.query<{ rate_limits: unknown }>({
      text: CHANGES[table],
      values: [id, JSON.stringify(readRateLimitChange(change))],
    });
    if (rows[0] === undefined) throw createNotFound(table === 'api_key' ? 'key' : table);
    onChange(`${table}:${id}`);
    return parseRateLimits(rows[0].rate_limits);
  };
  return {
    setKeyRateLimits: (keyId, change) => set('api_key', keyId, change),
    setOrganizationRateLimits: (organizationId, change) => set('organization', organizationId, change),
  };
}
