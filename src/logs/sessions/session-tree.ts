import { type Usage, createUsage } from '#canonical';
import { type LogRow, isFailedFinish } from '../rows/log-row.ts';
import type { CacheMiss } from '../rows/miss.ts';

/** Sums over some requests of a session. */
export interface SessionSums {
  requests: number;
  /** Those that ended with an error. */
  failed: number;
  /** Calls of providers beyond the first of each request. */
  retries: number;
  usage: Usage;
  /** Pico-USD. */
  customer: bigint;
  provider: bigint;
  /** The time of all requests, which may overlap. */
  durationMs: number;
  /** Milliseconds since the Unix epoch; 0 without requests. */
  startedAt: number;
  endedAt: number;
  models: readonly string[];
  /** Requests that missed the prompt cache, with what that cost. */
  misses: number;
  missedTokens: number;
  missedCost: bigint;
  /** By the cache marks that the gateway set; undefined if it set none. */
  cacheSaved?: bigint | undefined;
}

/** A request that missed the prompt cache. */
interface SessionMiss {
  requestId: string;
  miss: CacheMiss;
}

/** The status that the client got, and the code of the error if it was one. */
export type TurnOutcome = Pick<LogRow, 'status' | 'errorCode'>;

/** The requests after one input, or one request of a client that does not report turns. */
export interface SessionTurn extends SessionSums {
  turnId?: string;
  requestIds: readonly string[];
  /** How its last request ended. */
  outcome: TurnOutcome;
  /** Why its requests missed the prompt cache. */
  cacheMisses: readonly SessionMiss[];
}

/** An agent with its turns and the agents it started. */
export interface SessionAgent {
  /** Absent for the main agent. */
  agentId?: string;
  parentAgentId?: string;
  /** Of its turns. */
  own: SessionSums;
  /** With the agents it started. */
  total: SessionSums;
  turns: readonly SessionTurn[];
  agents: readonly SessionAgent[];
}

/** A session of a client, by agent and turn. */
export interface SessionTree {
  sessionId: string;
  organizationId: string;
  clientName?: string;
  clientVersion?: string;
  main: SessionAgent;
}

/** The tree of rows of one session, which are in order of their start. */
export function buildSessionTree(rows: readonly LogRow[]): SessionTree | undefined {
  const [first] = rows;
  if (!first) return undefined;
  const { sessionId = '', organizationId, clientName, clientVersion } = first;
  return {
    sessionId,
    organizationId,
    ...(clientName !== undefined && { clientName }),
    ...(clientVersion !== undefined && { clientVersion }),
    main: buildAgents(rows),
  };
}

const MAIN = '';
/** A tree is as deep as its clients say; no client nests more than a few. */
const MOST_NESTED = 50;

function buildAgents(rows: readonly LogRow[]): SessionAgent {
  const byAgent = Map.groupBy(rows, ({ agentId = MAIN }) => agentId);
  const parents = findParents(rows);
  const children = Map.groupBy(parents.keys(), (id) => parents.get(id) ?? MAIN);
  const build = (id: string): SessionAgent => {
    const turns = buildTurns(byAgent.get(id) ?? []);
    const agents = (children.get(id) ?? [])
      .map(build)
      .toSorted((a, b) => a.total.startedAt - b.total.startedAt);
    const own = addUp(turns);
    const parentAgentId = parents.get(id) ?? MAIN;
    return {
      ...(id !== MAIN && { agentId: id }),
      ...(parentAgentId !== MAIN && { parentAgentId }),
      own,
      total: addUp([own, ...agents.map(({ total }) => total)]),
      turns,
      agents,
    };
  };
  return build(MAIN);
}

/** Each agent → the one that started it. A loop, or a deeper agent, which only a faulty client reports, begins at the main agent. */
function findParents(rows: readonly LogRow[]): Map<string, string> {
  const parents = new Map<string, string>();
  for (const { agentId, parentAgentId } of rows) {
    if (agentId === undefined) continue;
    if (parentAgentId === undefined || leadsTo(parents, parentAgentId, agentId)) {
      if (!parents.has(agentId)) parents.set(agentId, MAIN);
    } else {
      parents.set(agentId, parentAgentId);
      // An agent without requests of its own still has its place.
      if (!parents.has(parentAgentId)) parents.set(parentAgentId, MAIN);
    }
  }
  limitDepth(parents);
  return parents;
}

/** Also true where the way is longer than a tree may be deep. */
function leadsTo(parents: ReadonlyMap<string, string>, from: string, to: string): boolean {
  let steps = 0;
  for (let id: string | undefined = from; id !== undefined; id = parents.get(id)) {
    if (id === to || steps > MOST_NESTED) return true;
    steps += 1;
  }
  return false;
}

/** Agents may be reported before the ones that started them. */
function limitDepth(parents: Map<string, string>): void {
  const children = Map.groupBy(parents.keys(), (id) => parents.get(id) ?? MAIN);
  const depths = new Map([[MAIN, 0]]);
  for (const [id, depth] of depths) {
    const isDeepest = depth === MOST_NESTED;
    for (const child of children.get(id) ?? []) {
      if (isDeepest) parents.set(child, MAIN);
      depths.set(child, isDeepest ? 1 : depth + 1);
    }
  }
}

function buildTurns(rows: readonly LogRow[]): SessionTurn[] {
  const turns = Map.groupBy(rows, ({ turnId, requestId }) => turnId ?? requestId);
  return [...turns.values()].map((own) => {
    const turnId = own[0]?.turnId;
    const requestIds = own.map(({ requestId }) => requestId);
    const cacheMisses = own.flatMap(({ requestId, cacheMiss: miss }) => (miss ? [{ requestId, miss }] : []));
    return {
      ...(turnId !== undefined && { turnId }),
      requestIds,
      outcome: toOutcome(own.at(-1)),
      cacheMisses,
      ...addUp(own.map(toSums)),
    };
  });
}

function toOutcome(last: LogRow | undefined): TurnOutcome {
  const { status = 0, errorCode } = last ?? {};
  return { status, ...(errorCode !== undefined && { errorCode }) };
}

function toSums(row: LogRow): SessionSums {
  return {
    requests: 1,
    failed: isFailedFinish(row.finishReason) ? 1 : 0,
    retries: Math.max(row.attempts.length - 1, 0),
    usage: row.usage,
    customer: BigInt(row.customer),
    provider: BigInt(row.provider),
    durationMs: row.durationMs,
    startedAt: row.startedAt,
    endedAt: row.startedAt + row.durationMs,
    models: [row.modelId ?? row.requestedModel],
    misses: row.cacheMiss ? 1 : 0,
    missedTokens: row.cacheMiss?.tokens ?? 0,
    missedCost: BigInt(row.cacheMiss?.cost ?? 0),
    ...(row.cacheSaved !== undefined && { cacheSaved: BigInt(row.cacheSaved) }),
  };
}

function addUp(parts: readonly SessionSums[]): SessionSums {
  const usage = createUsage();
  const sums = {
    requests: 0,
    failed: 0,
    retries: 0,
    usage,
    customer: 0n,
    provider: 0n,
    durationMs: 0,
    startedAt: 0,
    endedAt: 0,
    misses: 0,
    missedTokens: 0,
    missedCost: 0n,
    cacheSaved: undefined as bigint | undefined,
  };
  const models = new Set<string>();
  for (const part of parts) {
    if (part.requests === 0) continue;
    sums.startedAt = sums.requests === 0 ? part.startedAt : Math.min(sums.startedAt, part.startedAt);
    sums.endedAt = Math.max(sums.endedAt, part.endedAt);
    sums.requests += part.requests;
    sums.failed += part.failed;
    sums.retries += part.retries;
    sums.customer += part.customer;
    sums.provider += part.provider;
    sums.durationMs += part.durationMs;
    sums.misses += part.misses;
    sums.missedTokens += part.missedTokens;
    sums.missedCost += part.missedCost;
    if (part.cacheSaved !== undefined) sums.cacheSaved = (sums.cacheSaved ?? 0n) + part.cacheSaved;
    for (const name of Object.keys(usage) as (keyof Usage)[]) usage[name] += part.usage[name];
    for (const model of part.models) models.add(model);
  }
  return { ...sums, models: [...models] };
}
