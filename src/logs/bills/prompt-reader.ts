import { createUsage, type Usage } from '#canonical';
import type { LogFinish } from '../rows/log-row.ts';
import { type BilledRequests, chooseCost, composeBilled } from './bills.ts';
import { decodeChain, readParts } from '../prompt-cache/chain.ts';
import type { PromptParts } from '../prompt-cache/parts.ts';
import { type ReaderPorts, reportInTime } from '../query-in-time.ts';
import { USAGE_COLUMNS, type UsageColumn, readCounts } from '../rows/usage-columns.ts';

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

/** The prompts of sessions, without their text. */
export interface PromptReader {
  /** Calls back for each of the projects that cost most, with the rows of its most expensive sessions, oldest first. */
  forEachProject(
    asked: BilledRequests,
    take: (project: PromptProject, rows: PromptRow[]) => void,
  ): Promise<void>;
}

const MOST_PROJECTS = 10;
/** Of a project; about 75 MB of all. */
const MOST_ROWS = 5_000;
const COUNTS = Object.values(USAGE_COLUMNS).map((column) => `${column}::text`);

export function createPromptReader(ports: ReaderPorts): PromptReader {
  return {
    forEachProject: async (asked, take) => {
      const rows = await reportInTime(ports, asked.tenants, (ask) => ask<StoredRow>(selectPrompts(asked)));
      const projects = Map.groupBy(rows, (row) => JSON.stringify([row.organization_id, row.project_id]));
      for (const [first, ...others] of projects.values())
        if (first)
          take(
            { organizationId: first.organization_id, projectId: first.project_id },
            [first, ...others].flatMap(readRow),
          );
    },
  };
}

/** Reads the rows of the time twice, whatever the number of projects: once for the sums of sessions, once for those chosen. */
function selectPrompts(asked: BilledRequests): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const from = `${composeBilled(asked, values)} AND prompt_chain IS NOT NULL AND session_id IS NOT NULL`;
  const cost = chooseCost(asked);
  const text = `
    WITH spent AS (
      SELECT organization_id, project_id, session_id, sum(${cost}) AS cost, count(*) AS requests ${from} GROUP BY 1, 2, 3
    ),
    ranked AS (
      SELECT organization_id, project_id, session_id, sum(cost) OVER (PARTITION BY organization_id, project_id) AS spent,
        sum(requests) OVER (
          PARTITION BY organization_id, project_id ORDER BY cost DESC, session_id ROWS UNBOUNDED PRECEDING
        ) - requests AS before
      FROM spent
    ),
    placed AS (
      SELECT *, dense_rank() OVER (ORDER BY spent DESC, organization_id, project_id) AS place FROM ranked
    )
    SELECT organization_id, project_id, request_id, session_id, agent_id, model_id, provider_id, finish_reason, prompt_chain,
      ${cost}::text AS cost, ${COUNTS.join(', ')}
    FROM (SELECT * ${from}) AS prompts JOIN placed USING (organization_id, project_id, session_id)
    WHERE place <= ${MOST_PROJECTS} AND before < ${MOST_ROWS}
    ORDER BY place, before, prompts.started_at, request_id LIMIT ${MOST_PROJECTS * MOST_ROWS}`;
  return { text, values };
}

interface StoredRow extends Record<UsageColumn, string> {
  organization_id: string;
  project_id: string;
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
      toolNames,
      turnCount,
      parts,
    },
  ];
}
