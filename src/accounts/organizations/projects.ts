import type { StorePorts } from '../store-ports.ts';
import { createIdentifier } from '#base';
import type { RoutingChange, RoutingChoice } from '../routing/routing-choice.ts';
import { assignRouting } from '../routing/routing-field.ts';
import { type Assignment, changeRow } from '../change-row.ts';
import type { Project } from './account-tree.ts';
import { type Page, composeList } from '../page.ts';
import { createNotFound, readName } from '../read-input.ts';
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

/** What changes of a project; `null` for none. */
export interface ProjectChanges {
  name?: string;
  cacheTtlSeconds?: number | null;
  payloadDays?: number | null;
  minOutputTokens?: number | null;
  routing?: RoutingChange;
  continue?: boolean;
  cacheMarks?: boolean;
}

export interface ProjectStore {
  createProject(input: { organizationId: string; name: string }): Promise<Project>;
  getProject(projectId: string): Promise<Project>;
  listProjects(organizationId: string, page?: Page): Promise<Project[]>;
  updateProject(projectId: string, changes: ProjectChanges): Promise<Project>;
  /** The first organization and project. */
  findDefault(): Promise<{ organizationId: string; projectId: string } | undefined>;
}

export function createProjectStore(ports: ProjectStorePorts): ProjectStore {
  const { database } = ports;
  const getProject = async (projectId: string): Promise<Project> => {
    const statement = { text: GET_PROJECT, values: [projectId] };
    return toProject(await getRow<ProjectRow>(database, 'project', statement));
  };
  return {
    createProject: async ({ organizationId, name }) => {
      const values = [createIdentifier('prj'), organizationId, readName('name', name)];
      const { rows } = await database.query<ProjectRow>({ text: CREATE_PROJECT, values });
      const project = rows.map(toProject)[0];
      if (project === undefined) throw createNotFound('organization');
      return project;
    },
    getProject,
    listProjects: async (organizationId, page = {}) => {
      const statement = composeList({ ...LIST_PROJECTS, values: [organizationId] }, page);
      const { rows } = await database.query<ProjectRow>(statement);
      return rows.map(toProject);
    },
    updateProject: async (id, changes) => {
      await changeRow(ports, { table: 'project', id }, listAssignments(changes));
      return getProject(id);
    },
    findDefault: async () => {
      const { rows } = await database.query<{ organization_id: string; id: string }>({ text: FIND_DEFAULT });
      const first = rows[0];
      return first && { organizationId: first.organization_id, projectId: first.id };
    },
  };
}

const COLUMN_OF = {
  cacheTtlSeconds: 'cache_ttl_seconds',
  payloadDays: 'payload_days',
  minOutputTokens: 'min_output_tokens',
  continue: 'continue',
  cacheMarks: 'cache_marks',
} as const satisfies Partial<Record<keyof ProjectChanges, keyof ProjectRow>>;

function listAssignments({ name, routing, ...changes }: ProjectChanges): (Assignment | false)[] {
  const plain = Object.entries(changes).map(([member, value]): Assignment => [
    `${COLUMN_OF[member as keyof typeof COLUMN_OF]} = $`,
    value,
  ]);
  return [
    ...plain,
    name !== undefined && ['name = $', readName('name', name)],
    routing !== undefined && assignRouting(routing),
  ];
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
