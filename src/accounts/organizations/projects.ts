import type { StorePorts } from '../store-ports.ts';
import { type PicoUsd, createIdentifier } from '#base';
import { epochMs } from '#storage';
import type { RoutingChange, RoutingChoice } from '../routing/routing-choice.ts';
import { assignRouting } from '../routing/routing-field.ts';
import { awaitRemoval } from '../await-removal.ts';
import { type ColumnAssignment, changeRow } from '../change-row.ts';
import { changeInTransaction } from '../in-transaction.ts';
import type { RecurringLimit } from '../ledger/recurring-limit.ts';
import { type RecurringRow, toRecurring } from '../ledger/recurring-usage.ts';
import type { Project } from './account-tree.ts';
import { type Page, composeList } from '../page.ts';
import { createNotFound, readName } from '../read-input.ts';
import { getRow } from '../get-row.ts';
import { type RemovedProject, removeProject } from './remove-account.ts';
import { changeSharedLimit, changeTotalLimit, selectSharedLimit } from './shared-limit.ts';

type ProjectStorePorts = Pick<StorePorts, 'database' | 'onChange' | 'windowClock'>;

interface ProjectRow extends RecurringRow {
  id: string;
  organization_id: string;
  organization_name: string;
  name: string;
  cache_ttl_seconds: number | null;
  payload_days: number | null;
  min_output_tokens: number | null;
  routing: RoutingChoice | null;
  continue: boolean;
  cache_marks: boolean;
  created_at: number;
  lim: string | null;
  used: string;
}

const SHARED_LIMIT = selectSharedLimit('project_recurring', 'p.id');

const READ_PROJECTS = `
  SELECT p.id, p.organization_id, o.name AS organization_name, p.name, p.cache_ttl_seconds, p.payload_days, p.min_output_tokens, p.routing, p.continue,
    p.cache_marks, ${epochMs('p.created_at')} AS created_at, ${SHARED_LIMIT.columns},
    t.lim::text AS lim, COALESCE(t.used, project_used(p.id))::text AS used
  FROM project p JOIN organization o ON o.id = p.organization_id ${SHARED_LIMIT.join}
  LEFT JOIN meter t ON t.kind = 'project' AND t.subject_id = p.id AND t.lim IS NOT NULL`;

const CREATE_PROJECT = `
  INSERT INTO project (id, organization_id, name) SELECT $1, id, $3 FROM organization
  WHERE id = $2 AND removed_at IS NULL FOR KEY SHARE`;

const GET_OR_REMOVED = `${READ_PROJECTS} WHERE p.id = $2`;
const GET_PROJECT = `${GET_OR_REMOVED} AND p.removed_at IS NULL`;

const FIND_ORGANIZATION = 'SELECT organization_id FROM project WHERE id = $1 AND removed_at IS NULL';

const LIST_PROJECTS = {
  select: `${READ_PROJECTS} WHERE p.removed_at IS NULL`,
  table: 'project p',
  alias: 'p',
  searched: 'p.name',
};

const FIND_DEFAULT = `
  SELECT o.id AS organization_id, p.id
  FROM (SELECT id FROM organization WHERE removed_at IS NULL ORDER BY created_at, id LIMIT 1) AS o
  LEFT JOIN project p ON p.organization_id = o.id AND p.removed_at IS NULL
  ORDER BY p.created_at, p.id LIMIT 1`;

/** What all keys of a project may spend together; `null` for no limit. */
interface ProjectLimits {
  /** All-time. */
  limit?: PicoUsd | null;
  recurringLimit?: RecurringLimit | null;
}

/** What changes of a project; `null` for none. */
interface ProjectChanges extends ProjectLimits {
  name?: string;
  cacheTtlSeconds?: number | null;
  payloadDays?: number | null;
  minOutputTokens?: number | null;
  routing?: RoutingChange;
  continue?: boolean;
  cacheMarks?: boolean;
}

interface NewProject extends ProjectLimits {
  organizationId: string;
  name: string;
}

export interface ProjectStore {
  createProject(input: NewProject): Promise<Project>;
  getProject(projectId: string): Promise<Project>;
  /** The same, even if it was removed. */
  getProjectOrRemoved(projectId: string): Promise<Project>;
  listProjects(filter: { organizationId?: string } & Page): Promise<Project[]>;
  updateProject(projectId: string, changes: ProjectChanges): Promise<Project>;
  removeProject(projectId: string): Promise<RemovedProject>;
  /** The first organization, and its first project if it has one. */
  findDefault(): Promise<{ organizationId: string; projectId?: string } | undefined>;
}

export function createProjectStore(ports: ProjectStorePorts): ProjectStore {
  const { database, windowClock } = ports;
  const read = async (text: string, projectId: string): Promise<Project> => {
    const statement = { text, values: [windowClock?.now() ?? null, projectId] };
    return toProject(await getRow<ProjectRow>(database, 'project', statement));
  };
  const getProject = (projectId: string): Promise<Project> => read(GET_PROJECT, projectId);
  return {
    createProject: async ({ organizationId, name, ...limits }) => {
      const id = createIdentifier('prj');
      const values = [id, organizationId, readName('name', name)];
      await changeInTransaction(ports, async (all) => {
        const { rowCount } = await all.database.query({ text: CREATE_PROJECT, values });
        if (rowCount === 0) throw createNotFound('organization');
        await changeLimits(all, { id, organizationId }, limits);
      });
      return getProject(id);
    },
    getProject,
    getProjectOrRemoved: (projectId) => read(GET_OR_REMOVED, projectId),
    listProjects: async ({ organizationId, ...page }) => {
      const values = [windowClock?.now() ?? null];
      const filters = { 'p.organization_id =': organizationId };
      const statement = composeList({ ...LIST_PROJECTS, values, filters }, page);
      const { rows } = await database.query<ProjectRow>(statement);
      return rows.map(toProject);
    },
    updateProject: async (id, changes) => {
      await changeInTransaction(ports, (all) => changeProject(all, id, changes));
      return getProject(id);
    },
    removeProject: (id) => removeProject(ports, id),
    findDefault: async () => {
      const { rows } = await database.query<{ organization_id: string; id: string | null }>({
        text: FIND_DEFAULT,
      });
      const [first] = rows;
      if (!first) return undefined;
      const { organization_id: organizationId, id: projectId } = first;
      return { organizationId, ...(projectId !== null && { projectId }) };
    },
  };
}

async function changeProject(
  ports: ProjectStorePorts,
  id: string,
  { limit, recurringLimit, ...changes }: ProjectChanges,
): Promise<void> {
  const changesLimits = limit !== undefined || recurringLimit !== undefined;
  if (changesLimits) await awaitRemoval(ports.database, id);
  await changeRow(ports, { table: 'project', id }, listAssignments(changes));
  if (!changesLimits) return;
  const statement = { text: FIND_ORGANIZATION, values: [id] };
  const { organization_id: organizationId } = await getRow<ProjectRow>(ports.database, 'project', statement);
  await changeLimits(ports, { id, organizationId }, { limit, recurringLimit });
}

async function changeLimits(
  ports: ProjectStorePorts,
  owner: { id: string; organizationId: string },
  { limit, recurringLimit }: { [Name in keyof ProjectLimits]: ProjectLimits[Name] | undefined },
): Promise<void> {
  if (limit !== undefined) await changeTotalLimit(ports, { kind: 'project', ...owner }, limit);
  if (recurringLimit !== undefined)
    await changeSharedLimit(ports, { kind: 'project_recurring', ...owner }, recurringLimit);
}

const COLUMN_OF = {
  cacheTtlSeconds: 'cache_ttl_seconds',
  payloadDays: 'payload_days',
  minOutputTokens: 'min_output_tokens',
  continue: 'continue',
  cacheMarks: 'cache_marks',
} as const satisfies Partial<Record<keyof ProjectChanges, keyof ProjectRow>>;

function listAssignments({
  name,
  routing,
  ...changes
}: Omit<ProjectChanges, keyof ProjectLimits>): (ColumnAssignment | false)[] {
  const plain = Object.entries(changes).map(([member, value]): ColumnAssignment => [
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
    organizationName: row.organization_name,
    name,
    createdAt,
    routing: row.routing ?? {},
    continue: row.continue,
    cacheMarks: row.cache_marks,
    usage: BigInt(row.used),
    limit: row.lim === null ? null : BigInt(row.lim),
    ...toRecurring(row),
  };
  if (row.cache_ttl_seconds !== null) project.cacheTtlSeconds = row.cache_ttl_seconds;
  if (row.payload_days !== null) project.payloadDays = row.payload_days;
  if (row.min_output_tokens !== null) project.minOutputTokens = row.min_output_tokens;
  return project;
}
