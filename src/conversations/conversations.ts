import type { Clock, JsonObject, JsonValue } from '#base';
import type { Database } from '#storage';
import { isJsonObject, isStorableId, parseJson, parseJsonObject } from '#base';
import { GatewayError } from '#errors';
import { startSweep } from '#storage';
import { BATCH, deleteOlder } from './sweep.ts';

/** The tenant whose responses are visible. */
interface Tenant {
  projectId: string;
}

/** A stored response with the input items of its request. */
interface StoredResponse {
  id: string;
  previousId?: string;
  /** The request's new items as JSON text: an array. */
  input: string;
  /** The response as it was sent to the caller. */
  response: JsonObject;
}

/** Items that were stored with one response. */
interface StoredItems {
  responseId: string;
  items: JsonValue[];
}

/** Stored responses, for requests that continue from them. Kept for 30 days; isolated by project. */
export interface Conversations {
  save(stored: StoredResponse, tenant: Tenant): Promise<void>;
  find(id: string, tenant: Tenant): Promise<JsonObject | undefined>;
  /** The items up to and including a response, oldest first; `undefined` if it, or one before it, is not stored. */
  recall(id: string, tenant: Tenant): Promise<JsonValue[] | undefined>;
  /**
   * The items that a response was generated from, oldest first: its input, after the input and output of those that it
   * continued, as far as they are stored. `undefined` if it is not.
   */
  listInput(id: string, tenant: Tenant): Promise<StoredItems[] | undefined>;
  /** Items of stored responses by their ids; unknown ids are omitted. */
  findItems(ids: readonly string[], tenant: Tenant): Promise<ReadonlyMap<string, JsonObject>>;
  /** Returns whether there was one to delete. */
  delete(id: string, tenant: Tenant): Promise<boolean>;
  /** Starts deleting expired responses. */
  start(): void;
  close(): Promise<void>;
}

interface ConversationsOptions {
  database: Database;
  clock: Clock;
  /** Called with errors from background work. */
  onFault?(error: unknown): void;
}

const KEPT_MS = 30 * 24 * 3_600_000;
/**
 * `IS TRUE` prevents an index scan by age: responses are looked up by their ids, also where statistics are from a time when
 * few were stored.
 */
const IS_KEPT = '(created_at > $3) IS TRUE';
/** The largest conversation in characters of JSON; the same bound as for a request. */
const MOST_BYTES = 32 * 1024 * 1024;

export function createConversations({ database, clock, onFault }: ConversationsOptions): Conversations {
  const oldest = (): Date => new Date(clock.now() - KEPT_MS);
  let sweep: ReturnType<typeof startSweep> | undefined;
  return {
    save: (stored, tenant) => save({ database, createdAt: new Date(clock.now()) }, stored, tenant),
    find: async (id, { projectId }) => {
      if (!isStorableId(id)) return undefined;
      const { rows } = await database.query<{ response: string; output: string }>({
        text: `SELECT response, output FROM stored_response WHERE project_id = $1 AND id = $2 AND ${IS_KEPT}`,
        values: [projectId, id, oldest()],
      });
      const [row] = rows;
      return row && { ...parseJsonObject(row.response), output: parseItems(row.output) };
    },
    recall: async (id, { projectId }) => {
      if (!isStorableId(id)) return undefined;
      return readChain(await selectChain(database, { projectId, id, oldest: oldest() }));
    },
    listInput: (id, { projectId }) => listInput(database, { projectId, id, oldest: oldest() }),
    findItems: async (ids, { projectId }) => {
      const { rows } = await database.query<{ output: string }>({
        text: `SELECT output FROM stored_response WHERE project_id = $1 AND item_ids && $2 AND ${IS_KEPT}`,
        values: [projectId, ids.filter(isStorableId), oldest()],
      });
      const items = rows.flatMap(({ output }) => parseItems(output)).filter(isJsonObject);
      return new Map(items.map((item) => [item['id'] as string, item]));
    },
    delete: async (id, { projectId }) => {
      if (!isStorableId(id)) return false;
      const { rowCount } = await database.query({
        text: `DELETE FROM stored_response WHERE project_id = $1 AND id = $2 AND ${IS_KEPT}`,
        values: [projectId, id, oldest()],
      });
      return rowCount > 0;
    },
    start: () =>
      void (sweep ??= startSweep({
        database,
        deletion: () => deleteOlder(oldest()),
        batch: BATCH,
        onFault: (error) => onFault?.(error),
      })),
    close: async () => sweep?.stop(),
  };
}

interface Writing {
  database: Database;
  createdAt: Date;
}

async function save(
  { database, createdAt }: Writing,
  { id, previousId, input, response }: StoredResponse,
  { projectId }: Tenant,
): Promise<void> {
  if (!isStorableId(id)) return;
  const { output, ...rest } = response;
  const items = Array.isArray(output) ? output.filter(isJsonObject) : [];
  const itemIds = items
    .map((item) => item['id'])
    .filter((own) => typeof own === 'string' && isStorableId(own));
  await database.query({
    text: `INSERT INTO stored_response (project_id, id, previous_id, created_at, item_ids, input, output, response)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
    values: [
      projectId,
      id,
      previousId ?? null,
      createdAt,
      itemIds,
      input,
      JSON.stringify(items),
      JSON.stringify(rest),
    ],
  });
}

interface ChainLink {
  id: string;
  previous_id: string | null;
  input: string;
  output: string;
  bytes: bigint;
}

/** `LATERAL` with `LIMIT`: each is looked up; as a join, all responses of the project may be read for each. */
const SELECT_CHAIN = `WITH RECURSIVE chain AS (
    SELECT id, previous_id, input, output, 1 AS depth, (octet_length(input) + octet_length(output))::bigint AS bytes
    FROM stored_response WHERE project_id = $1 AND id = $2 AND ${IS_KEPT}
  UNION ALL
    SELECT r.id, r.previous_id, r.input, r.output, c.depth + 1, c.bytes + octet_length(r.input) + octet_length(r.output)
    FROM chain c CROSS JOIN LATERAL (
      SELECT * FROM stored_response WHERE project_id = $1 AND id = c.previous_id AND ${IS_KEPT} LIMIT 1
    ) AS r
    WHERE c.bytes <= $4
  ) SELECT id, previous_id, input, output, bytes FROM chain ORDER BY depth DESC`;

/** A response of a project that is not too old to be kept. */
interface ResponseQuery {
  projectId: string;
  id: string;
  oldest: Date;
}

async function selectChain(
  database: Database,
  { projectId, id, oldest }: ResponseQuery,
): Promise<ChainLink[]> {
  const values = [projectId, id, oldest, MOST_BYTES];
  return (await database.query<ChainLink>({ text: SELECT_CHAIN, values })).rows;
}

/** What a response continued was within the bound when it did, so that nothing of it is left out here. */
async function listInput(database: Database, wanted: ResponseQuery): Promise<StoredItems[] | undefined> {
  const { projectId, id, oldest } = wanted;
  if (!isStorableId(id)) return undefined;
  const { rows } = await database.query<Pick<ChainLink, 'previous_id' | 'input'>>({
    text: `SELECT previous_id, input FROM stored_response WHERE project_id = $1 AND id = $2 AND ${IS_KEPT}`,
    values: [projectId, id, oldest],
  });
  const [own] = rows;
  if (!own) return undefined;
  const { previous_id: previous } = own;
  const past = previous === null ? [] : await selectChain(database, { ...wanted, id: previous });
  return [
    ...past.map(({ id: responseId, ...link }) => ({ responseId, items: readLink(link) })),
    { responseId: id, items: parseItems(own.input) },
  ];
}

/** Part of a conversation counts as none: a model must not answer half of it. */
function readChain(links: ChainLink[]): JsonValue[] | undefined {
  const [first] = links;
  if (!first) return undefined;
  if (first.bytes > MOST_BYTES) {
    throw new GatewayError('body_too_large', 'the conversation is larger than 32 MiB; start a new one', {
      param: 'previous_response_id',
    });
  }
  if (first.previous_id !== null) return undefined;
  return links.flatMap(readLink);
}

function readLink({ input, output }: Pick<ChainLink, 'input' | 'output'>): JsonValue[] {
  return [...parseItems(input), ...parseItems(output)];
}

function parseItems(text: string): JsonValue[] {
  const value = parseJson(text);
  return Array.isArray(value) ? value : [];
}
