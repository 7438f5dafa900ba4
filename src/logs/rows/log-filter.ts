import type { RequestFilter } from './request-filters.ts';

/** The tenant whose rows are visible. */
export interface Tenant {
  organizationId: string;
}

/** Whose rows a reader returns: those of one organization, or, for the operator, of all. */
export type Tenants = Tenant | 'all';

/** Of a caller or a filter without an organization, which means all. */
export function toTenants({ organizationId }: { organizationId?: string | undefined }): Tenants {
  return organizationId === undefined ? 'all' : { organizationId };
}

/** A filter restricted to the visible tenants. */
export function within<Filter>(filter: Filter, tenants: Tenants): Filter & Partial<Tenant> {
  return { ...filter, ...(tenants !== 'all' && { organizationId: tenants.organizationId }) };
}

/** A position in the list: rows are ordered by start, then by identifier. */
export interface LogPlace {
  startedAt: number;
  requestId: string;
}

/** Filters a page of the log. Times are milliseconds since the Unix epoch. */
export interface LogFilter extends Omit<RequestFilter, 'organizationId'> {
  /** Rows that started then or later. */
  since?: number;
  /** Rows that started earlier. */
  until?: number;
  /** Only rows after this position in a list of newest first. */
  before?: LogPlace;
  /** 1 to 1000; 100 by default. */
  limit?: number;
}
