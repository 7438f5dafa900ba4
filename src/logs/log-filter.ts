import type { LogFinish } from './log-row.ts';

/** Whose rows may be seen. */
export interface Tenant {
  organizationId: string;
}

/** A place in the list: rows are ordered by start, then by identifier. */
export interface LogPlace {
  startedAt: number;
  requestId: string;
}

/** What a page of the log shows. Times are milliseconds since the Unix epoch. */
export interface LogFilter {
  projectId?: string;
  keyId?: string;
  /** The catalogue's id or the name the client used. */
  model?: string;
  providerId?: string;
  finishReason?: LogFinish;
  /** The client's own names. */
  sessionId?: string;
  agentId?: string;
  sessionTokenId?: string;
  memberId?: string;
  /** How the client's `user-agent` begins. */
  userAgent?: string;
  /** Text within an error's message, a user agent, the model's name as the client wrote it, or an id of client or provider. */
  search?: string;
  /** Rows that started then or later. */
  since?: number;
  /** Rows that started before. */
  until?: number;
  /** Only rows that come after this place in a list of newest first. */
  before?: LogPlace;
  /** 1 to 1000, otherwise 100. */
  limit?: number;
}

/** What of new rows is followed. */
export type FollowFilter = Omit<LogFilter, 'since' | 'until' | 'before' | 'limit'> & Partial<Tenant>;
