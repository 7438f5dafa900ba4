import type { Database } from '#storage';
import { createUsage, type Usage } from '#canonical';
import type { LogFinish } from './log-row.ts';
import { type BillFilter, composeSource } from './bills.ts';
import { decodeChain, readParts } from './prompt-cache/chain.ts';
import type { PromptParts } from './prompt-cache/parts.ts';
import { type Ask, reportInTime } from './query-in-time.ts';
import { USAGE_COLUMNS, type UsageColumn, readCounts } from './usage-columns.ts';

/** An answered request of a session, with the parts of its prompt. */
export interface PromptRow {
  requestId: string;
  sessionId: string;
  agentId: string;
  modelId: string;
  providerId: string;
  finishReason: LogFinish;
  usage: Usage;
  /** Pico-USD. */
  cost: bigint;
  /** Hashes of the names of its tools, in their order. */
  toolNames: Uint16Array;
  turnCount: number;
  parts: PromptParts;
}

export interface PromptProject {
  organizationId: string;
  projectId: string;
}

/** Whose prompts are read: the operator's, if there is no tenant. */
export interface PromptQuestion {
  filter: BillFilter;
  /** Charged to the organization; without requests on its own provider keys. */
  isTenant: boolean;
  /** Whether the database may take only as long as a request does. */
  isLimited: boolean;
}

/** The prompts of sessions, without their text. */
export interface PromptBook {
  /** Calls back for each of the projects that cost most, with the rows of its most expensive sessions, oldest first. */
  forEachProject(
    asked: PromptQuestion,
    take: (project: PromptProject, rows: PromptRow[]) => void,
  ): Promise<void>;
}

const MOST_PROJECTS = 20;
/** About 25 MB. */
const MOST_ROWS = 20_000;
const COUNTS = Object.values(USAGE_COLUMNS).map((column) => `${column}::text`);

export function createPromptBook({ database }: { database: Database }): PromptBook {
  return {
    forEachProject: (asked, take) =>
      reportInTime(
        database,
        async (ask) => {
          for (const project of await listProjects(ask, asked))
            take(project, await listRows(ask, { ...asked, filter: { ...asked.filter, ...project } }));
        },
        asked,
      ),
  };
}

async function listProjects(ask: Ask, asked: PromptQuestion): Promise<PromptProject[]> {
  const { from, cost, values } = composePrompts(asked);
  const rows = await ask<{ organization_id: string; project_id: string }>({
    text: `SELECT organization_id, project_id ${from} GROUP BY 1, 2 ORDER BY sum(${cost}) DESC, 1, 2 LIMIT ${MOST_PROJECTS}`,
    values,
  });
  return rows.map((row) => ({ organizationId: row.organization_id, projectId: row.project_id }));
}

async function listRows(ask: Ask, asked: PromptQuestion): Promise<PromptRow[]> {
  const { from, cost, values } = composePrompts(asked);
  const rows = await ask<StoredRow>({
    text: `
      WITH spent AS (SELECT session_id, sum(${cost}) AS cost, count(*) AS requests ${from} GROUP BY session_id),
      ranked AS (
        SELECT session_id,
          sum(requests) OVER (ORDER BY cost DESC, session_id ROWS UNBOUNDED PRECEDING) - requests AS before FROM spent
      )
      SELECT request_id, session_id, agent_id, model_id, provider_id, finish_reason, prompt_chain,
        ${cost}::text AS cost, ${COUNTS.join(', ')}
      FROM (SELECT * ${from}) AS prompts JOIN ranked USING (session_id)
      WHERE before < ${MOST_ROWS} ORDER BY before, prompts.started_at, request_id LIMIT ${MOST_ROWS}`,
    values,
  });
  return rows.flatMap(readRow);
}

function composePrompts({ filter, isTenant }: PromptQuestion): {
  from: string;
  cost: string;
  values: unknown[];
} {
  const values: unknown[] = [];
  const own = isTenant ? `AND credential IS DISTINCT FROM 'own'` : '';
  const from = `${composeSource(filter, values)} AND prompt_chain IS NOT NULL AND session_id IS NOT NULL ${own}`;
  return { from, cost: isTenant ? 'customer_cost' : 'provider_cost', values };
}

interface StoredRow extends Record<UsageColumn, string> {
  request_id: string;
  session_id: string;
  agent_id: string | null;
  model_id: string | null;
  provider_id: string | null;
  finish_reason: LogFinish;
  prompt_chain: Buffer;
  cost: string;
}

/** Rows of versions that stored no parts are left out. */
function readRow(row: StoredRow): PromptRow[] {
  const chain = decodeChain(row.prompt_chain);
  const parts = readParts(row.prompt_chain);
  if (!chain || !parts) return [];
  const { toolNames, turnCount } = chain;
  return [
    {
      requestId: row.request_id,
      sessionId: row.session_id,
      agentId: row.agent_id ?? '',
      modelId: row.model_id ?? '',
      providerId: row.provider_id ?? '',
      finishReason: row.finish_reason,
      usage: createUsage(readCounts(row)),
      cost: BigInt(row.cost),
      ...{ toolNames, turnCount, parts },
    },
  ];
}
