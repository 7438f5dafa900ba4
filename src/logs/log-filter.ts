import type { LogFinish } from './log-row.ts';

/** The tenant whose rows are visible. */
export interface Tenant {
  organizationId: string;
}

/** Whose rows a reader returns: those of one organization, or, for the operator, of all. */
export type Tenants = Tenant | 'all';

/** Of a caller, or a filter, for whom no organization means all. */
export function toTenants({ organizationId }: { organizationId?: string | undefined }): Tenants {
  return organizationId === undefined ? 'all' : { organizationId };
}

/** A filter within what is visible. */
export function within<Filter>(filter: Filter, tenants: Tenants): Filter & Partial<Tenant> {
  return { ...filter, ...(tenants !== 'all' && { organizationId: tenants.organizationId }) };
}

/** A position in the list: rows are ordered by start, then by identifier. */
export interface LogPlace {
  startedAt: number;
  requestId: string;
}

/** Filters a page of the log. Times are milliseconds since the Unix epoch. */
export interface LogFilter {
  projectId?: string;
  keyId?: string;
  /** The catalogue's id or the name the client used. */
  model?: string;
  providerId?: string;
  finishReason?: LogFinish;
  errorCode?: string;
  /** The client's own names. */
  sessionId?: string;
  agentId?: string;
  parentAgentId?: string;
  runId?: string;
  turnId?: string;
  clientName?: string;
  endUserId?: string;
  /** A tag: `key`, or `key=value`. */
  tag?: string;
  sessionTokenId?: string;
  memberId?: string;
  /** A prefix of the client's `user-agent`. */
  userAgent?: string;
  /**
   * Text contained in an error's message, a user agent, the model's name in the request, or an id of the client or
   * provider.
   */
  search?: string;
  /** Rows that started then or later. */
  since?: number;
  /** Rows that started earlier. */
  until?: number;
  /** Only rows after this position in a list of newest first. */
  before?: LogPlace;
  /** 1 to 1000; 100 by default. */
  limit?: number;
}

/** Filters new rows to follow. */
export type FollowFilter = Omit<LogFilter, 'since' | 'until' | 'before' | 'limit'> & Partial<Tenant>;
