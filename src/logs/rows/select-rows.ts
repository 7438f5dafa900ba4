import type { Statement } from '#storage';
import type { LogFilter, LogPlace, Tenant, Tenants } from './log-filter.ts';
import { GatewayError } from '#errors';
import { ROW_COLUMNS } from './read-row.ts';
import {
  EQUAL_NAMES,
  type RequestFilter,
  SPECIAL_NAMES,
  type SpecialName,
  columnOfFilter,
  composeValues,
  valuesOf,
} from './request-filters.ts';

const USUAL_LIMIT = 100;
const MOST = 1000;
const SHORTEST_SEARCH = 2;
/** PostgreSQL prepares the text again for each row: one of 50,000 characters takes seconds for a thousand rows. */
const LONGEST_SEARCH = 1_000;
const ORDER = 'ORDER BY started_at DESC, request_id DESC';
/** With one of these a list has an index of its own; without, it merges those of all organizations. */
const INDEXED = ['organizationId', 'keyId', 'sessionId'] as const;
const SEARCHED = ['error_message', 'user_agent', 'requested_model', 'client_request_id', 'upstream_id'];

export function selectOne(requestId: string, tenants: Tenants): Statement {
  const conditions = new Conditions();
  conditions.add(`request_id = ${conditions.bind(requestId)}`);
  if (tenants !== 'all') conditions.add(`organization_id = ${conditions.bind(tenants.organizationId)}`);
  return {
    text: `SELECT ${ROW_COLUMNS} FROM request_log WHERE ${conditions.text}`,
    values: conditions.values,
  };
}

/**
 * A page of newest first. Time bounds are repeated as plain conditions, so that PostgreSQL can skip partitions. `isRare`: rows of
 * every organization are so few that they are read at once, and not from the index of each organization.
 */
export function selectRows(filter: LogFilter & Partial<Tenant>, isRare = false): Statement {
  const { conditions, models } = compose(filter);
  const limit = Math.min(Math.max(Math.trunc(filter.limit ?? USUAL_LIMIT), 1), MOST);
  const tail = `${ORDER} LIMIT ${limit}`;
  const isByOrganization = isEverywhere(filter) && !isRare;
  if (isByOrganization) conditions.add('organization_id = place.id');
  // One branch per index: a single OR would read every row in between.
  const branches = models.length === 0 ? [''] : models.map((model) => ` AND ${model}`);
  const union = branches
    .map((model) => `(SELECT * FROM request_log WHERE ${conditions.text}${model} ${tail})`)
    .join(' UNION ALL ');
  const source = isByOrganization
    ? `(SELECT id FROM organization UNION SELECT '') AS place CROSS JOIN LATERAL (${union}) AS row`
    : `(${union}) AS row`;
  const order = `ORDER BY row.started_at DESC, row.request_id DESC LIMIT ${limit}`;
  return { text: `SELECT ${ROW_COLUMNS} FROM ${source} ${order}`, values: conditions.values };
}

/** Explains how many rows of every organization match; undefined for other pages. */
export function explainRows(filter: LogFilter & Partial<Tenant>): Statement | undefined {
  const { conditions, models } = compose(filter);
  if (!isEverywhere(filter) || (conditions.isEmpty && models.length === 0)) return undefined;
  if (models.length > 0) conditions.add(`(${models.join(' OR ')})`);
  return {
    text: `EXPLAIN (FORMAT JSON) SELECT FROM request_log WHERE ${conditions.text}`,
    values: conditions.values,
  };
}

const isEverywhere = (filter: RequestFilter): boolean => INDEXED.every((name) => filter[name] === undefined);

/** The conditions of a filter; those of a model apart, because it has two columns. */
function compose(filter: LogFilter & Partial<Tenant>): { conditions: Conditions; models: string[] } {
  const { since, until, before, model } = filter;
  const conditions = new Conditions();
  conditions.addFilter(filter);
  if (since !== undefined) conditions.add(`started_at >= ${conditions.bindMoment(since)}`);
  if (until !== undefined) conditions.add(`started_at < ${conditions.bindMoment(until)}`);
  if (before !== undefined) conditions.addBefore(before);
  const place = model === undefined ? undefined : conditions.bind(model);
  const models =
    place === undefined ? [] : [`model_id = ${place}`, `NULLIF(requested_model, model_id) = ${place}`];
  return { conditions, models };
}

type Bind = (value: unknown) => string;

class Conditions {
  readonly values: unknown[] = [];
  readonly #conditions: string[] = ['true'];

  readonly bind: Bind = (value) => `$${this.values.push(value)}`;

  get isEmpty(): boolean {
    return this.#conditions.length === 1;
  }

  get text(): string {
    return this.#conditions.join(' AND ');
  }

  bindMoment(ms: number): string {
    return `to_timestamp(${this.bind(ms)}::float8 / 1000)`;
  }

  add(condition: string): void {
    this.#conditions.push(condition);
  }

  /** Adds all filters but the model, which has two columns. */
  addFilter(filter: RequestFilter): void {
    for (const name of EQUAL_NAMES)
      if (filter[name] !== undefined)
        this.add(`${columnOfFilter(name)} ${composeValues(valuesOf(name, filter[name]), this.bind)}`);
    for (const name of COMPOSED_NAMES)
      if (filter[name] !== undefined) this.add(COMPOSE[name](filter[name], this.bind));
  }

  addBefore({ startedAt, requestId }: LogPlace): void {
    const moment = this.bindMoment(startedAt);
    this.add(`started_at <= ${moment} AND (started_at, request_id) < (${moment}, ${this.bind(requestId)})`);
  }
}

const COMPOSE: Readonly<Record<Exclude<SpecialName, 'model'>, (value: string, bind: Bind) => string>> = {
  tag: composeTag,
  userAgent: (start, bind) => `user_agent LIKE ${bind(`${escapeLike(start)}%`)}`,
  search: composeSearch,
};
const COMPOSED_NAMES = SPECIAL_NAMES.filter((name) => name !== 'model');

function composeTag(tag: string, bind: Bind): string {
  const at = tag.indexOf('=');
  if (at === -1) return `tags ? ${bind(tag.trim())}`;
  const wanted = { [tag.slice(0, at).trim()]: tag.slice(at + 1).trim() };
  return `tags @> ${bind(JSON.stringify(wanted))}::jsonb`;
}

function composeSearch(search: string, bind: Bind): string {
  checkSearch(search);
  const place = bind(`%${escapeLike(search.trim())}%`);
  return `(${SEARCHED.map((column) => `${column} ILIKE ${place}`).join(' OR ')})`;
}

/** Throws `invalid_request` for a text that nearly every row has, or that takes too long to look for. */
export function checkSearch(search: string): void {
  const { length } = search.trim();
  if (length >= SHORTEST_SEARCH && length <= LONGEST_SEARCH) return;
  const asked =
    length > LONGEST_SEARCH
      ? `${LONGEST_SEARCH.toLocaleString('en')} characters or fewer`
      : `${SHORTEST_SEARCH} characters or more`;
  throw new GatewayError('invalid_request', `search for ${asked}`, { param: 'search' });
}

/** Escapes text for LIKE: `%`, `_` and `\` are no wildcards. */
export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, (character) => `\\${character}`);
}
