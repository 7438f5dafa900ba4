import type { Usage } from '#canonical';
import { createUsage } from '#canonical';
import { epochMs } from '#storage';
import type { LogAttempt } from '../rows/log-row.ts';
import { type ReaderPorts, findInTime } from '../query-in-time.ts';
import { USAGE_COLUMNS, type UsageColumn, readCounts } from '../rows/usage-columns.ts';
import { type PromptChain, decodeChain } from './chain.ts';

/** The agent of a session, and from when its requests count. */
interface SessionPlace {
  organizationId: string;
  sessionId: string;
  agentId?: string;
  /** Milliseconds since the Unix epoch. */
  since: number;
}

/** An earlier request of a session, with its prompt as hashes. */
export interface LastPrompt {
  chain: PromptChain;
  modelId: string;
  providerId: string;
  externalId: string;
  /** The name of the credential, or `own`; '' if the provider has only one. */
  credential: string;
  /** Whether the gateway set its cache marks, because the client set none. */
  hasSetMarks: boolean;
  /** Milliseconds since the Unix epoch. */
  startedAt: number;
  answeredAt: number;
  usage: Usage;
}

/** The last prompts of sessions, read from rows: prompts of other processes, and from before a restart. */
export interface LastPrompts {
  /** Oldest first. */
  find(place: SessionPlace): Promise<LastPrompt[]>;
}

/** Enough for a conversation and the requests that a client sends alongside it. */
const MOST_ROWS = 4;

interface StoredPrompt extends Record<UsageColumn, string> {
  prompt_chain: Buffer;
  model_id: string;
  provider_id: string;
  external_id: string;
  credential: string | null;
  attempts: LogAttempt[];
  has_set_marks: boolean;
  started_at: number;
  first_event_ms: number;
}

const COUNTS = Object.values(USAGE_COLUMNS).map((column) => `${column}::text`);

export function createLastPrompts(ports: ReaderPorts): LastPrompts {
  return {
    find: async ({ organizationId, sessionId, agentId, since }) => {
      const text = `
        SELECT prompt_chain, model_id, provider_id, external_id, credential, attempts, first_event_ms,
          cache_saved IS NOT NULL AS has_set_marks,
          ${epochMs('started_at')} AS started_at, ${COUNTS.join(', ')}
        FROM request_log
        WHERE session_id = $1 AND organization_id = $2 AND agent_id IS NOT DISTINCT FROM $3::text
          AND request_log.started_at >= to_timestamp($4::float8 / 1000) AND prompt_chain IS NOT NULL
        ORDER BY request_log.started_at DESC LIMIT ${MOST_ROWS}`;
      const values = [sessionId, organizationId, agentId ?? null, since];
      const rows = await findInTime<StoredPrompt>(ports, { organizationId }, { text, values });
      return rows.toReversed().flatMap(readPrompt);
    },
  };
}

function readPrompt(row: StoredPrompt): LastPrompt[] {
  const chain = decodeChain(row.prompt_chain);
  if (!chain) return [];
  return [
    {
      chain,
      modelId: row.model_id,
      providerId: row.provider_id,
      externalId: row.external_id,
      credential: row.credential === 'own' ? 'own' : findCredential(row.attempts),
      hasSetMarks: row.has_set_marks,
      startedAt: row.started_at,
      answeredAt: row.started_at + row.first_event_ms,
      usage: createUsage(readCounts(row)),
    },
  ];
}

/** Of the attempt that answered. */
export function findCredential(attempts: readonly LogAttempt[]): string {
  const answered = attempts.findLast(({ outcome }) => outcome === 'answered') ?? attempts.at(-1);
  return answered?.credential ?? '';
}
