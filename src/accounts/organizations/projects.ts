import type { StorePorts } from '../store-ports.ts';
import { createIdentifier } from '#base';
import type { RoutingChoice } from '../routing/routing-choice.ts';
import type { Project } from './account-tree.ts';
import { type Page, composeList } from '../page.ts';
import { createInvalid, createNotFound, readName } from '../read-input.ts';
import { getRow } from '../get-row.ts';

type ProjectStorePorts = Pick<StorePorts, 'database' | 'onChange'>;

interface ProjectRow {
  id: string;
  organization_id: string;
  name: string;
  cache_ttl_seconds: number | null;
  payload_days: number | null;
  min_output_tokens: number | null;
  routing: RoutingChoice | null;
  continue: boolean;
  cache_marks: boolean;
  created_at: number;
}

/** A whole number that a project can set, or `null`. */
interface Setting {
  column: 'cache_ttl_seconds' | 'payload_days' | 'min_output_tokens';
  member: string;
  least: number;
  most: number;
}

const CACHE_TTL: Setting = {
  column: 'cache_ttl_seconds',
  member: 'ttlSeconds',
  least: 10,
  most: 31_536_000,
};
const PAYLOAD_DAYS: Setting = { column: 'payload_days', member: 'days', least: 1, most: 400 };
const MIN_OUTPUT: Setting = { column: 'min_output_tokens', member: 'tokens', least: 1, most: 64_000 };

const COLUMNS = `
  id, organization_id, name, cache_ttl_seconds, payload_days, min_output_tokens, routing, continue, cache_marks,
  round(extract(epoch FROM created_at) * 1000)::float8 AS created_at`;

const CREATE_PROJECT = `
  INSERT INTO project (id, organization_id, name) SELECT $1, id, $3 FROM organization WHERE id = $2
  RETURNING ${COLUMNS}`;

const GET_PROJECT = `SELECT ${COLUMNS} FROM project WHERE id = $1`;

const LIST_PROJECTS = {
  select: `SELECT ${COLUMNS} FROM project p WHERE organization_id = $1`,
  table: 'project',
  alias: 'p',
  searched: 'p.name',
};

const FIND_DEFAULT = `
  SELECT p.organization_id, p.id FROM project p JOIN organization o ON o.id = p.organization_id
  ORDER BY o.created_at, o.id, p.created_at, p.id LIMIT 1`;

export interface ProjectStore {
  createProject(input: { organizationId: string; name: string }): Promise<Project>;
  getProject(projectId: string): Promise<Project>;
  listProjects(organizationId: string, page?: Page): Promise<Project[]>;
  /** How long a project caches answers, 10 s to 1 year; `null` turns it off. */
  setCacheTtl(input: { projectId: string; ttlSeconds: number | null }): Promise<void>;
  /** How long a project stores full requests and answers, 1 to 400 days; `null` turns it off. */
  setPayloadDays(input: { projectId: string; days: number | null }): Promise<void>;
  /** The fewest output tokens to which a nearly spent budget may shorten an answer, 1 to 64,000; `null` for the default. */
  setMinOutputTokens(input: { projectId: string; tokens: number | null }): Promise<void>;
  /** Whether another provider continues a stream that one has cut. */
  setContinue(input: { projectId: string; isOn: boolean }): Promise<void>;
  /** Whether the gateway sets cache marks in requests without any. */
  setCacheMarks(input: { projectId: string; isOn: boolean }): Promise<void>;
  /** The first organization and project. */
  findDefault(): Promise<{ organizationId: string; projectId: string } | undefined>;
}

export function createProjectStore(ports: ProjectStorePorts): ProjectStore {
  const { database } = ports;
  return {
    createProject: async ({ organizationId, name }) => {
      const values = [createIdentifier('prj'), organizationId, readName('name', name)];
      const { rows } = await database.query<ProjectRow>({ text: CREATE_PROJECT, values });
      const project = rows.map(toProject)[0];
      if (project === undefined) throw createNotFound('organization');
      return project;
    },
    getProject: async (projectId) => {
      const statement = { text: GET_PROJECT, values: [projectId] };
      return toProject(await getRow<ProjectRow>(database, 'project', statement));
    },
    listProjects: async (organizationId, page = {}) => {
      const statement = composeList({ ...LIST_PROJECTS, values: [organizationId] }, page);
      const { rows } = await database.query<ProjectRow>(statement);
      return rows.map(toProject);
    },
    setCacheTtl: ({ projectId, ttlSeconds: value }) => changeNumber(ports, CACHE_TTL, { projectId, value }),
    setPayloadDays: ({ projectId, days: value }) => changeNumber(ports, PAYLOAD_DAYS, { projectId, value }),
    setMinOutputTokens: ({ projectId, tokens: value }) =>
      changeNumber(ports, MIN_OUTPUT, { projectId, value }),
    setContinue: ({ projectId, isOn: value }) => change(ports, { column: 'continue', projectId, value }),
    setCacheMarks: ({ projectId, isOn: value }) => change(ports, { column: 'cache_marks', projectId, value }),
    findDefault: async () => {
      const { rows } = await database.query<{ organization_id: string; id: string }>({ text: FIND_DEFAULT });
      const first = rows[0];
      return first && { organizationId: first.organization_id, projectId: first.id };
    },
  };
}

async function changeNumber(
  ports: ProjectStorePorts,
  { column, member, least, most }: Setting,
  { projectId, value }: { projectId: string; value: number | null },
): Promise<void> {
  const isValid = value === null || (Number.isInteger(value) && value >= least && value <= most);
  if (!isValid) throw createInvalid(member, `a whole number from ${least} to ${most}`);
  await change(ports, { column, projectId, value });
}

async function change(
  { database, onChange }: ProjectStorePorts,
  {
    column,
    projectId,
    value,
  }: {
    column: Setting['column'] | 'continue' | 'cache_marks';
    projectId: string;
    value: number | boolean | null;
  },
): Promise<void> {
  const { rows } = await database.query({
    text: `UPDATE project SET ${column} = $2 WHERE id = $1 RETURNING id`,
    values: [projectId, value],
  });
  if (rows.length === 0) throw createNotFound('project');
  onChange(`project:${projectId}`);
}

function toProject(row: ProjectRow): Project {
  const { id, organization_id: organizationId, name, created_at: createdAt } = row;
  const project: Project = {
    id,
    organizationId,
    name,
    createdAt,
    routing: row.routing ?? {},
    continue: row.continue,
    cacheMarks: row.cache_marks,
  };
  if (row.cache_ttl_seconds !== null) project.cacheTtlSeconds = row.cache_ttl_seconds;
  if (row.payload_days !== null) project.payloadDays = row.payload_days;
  if (row.min_output_tokens !== null) project.minOutputTokens = row.min_output_tokens;
  return project;
}
