import type { StorePorts } from '../store-ports.ts';
import { type PicoUsd, createIdentifier } from '#base';
import { type RecordOf, amount, column, defineRecord, ifSet, moment, orNull } from '#storage';
import type { RoutingChange, RoutingChoice } from '../routing/routing-choice.ts';
import { assignRouting } from '../routing/routing-field.ts';
import { awaitRemoval } from '../await-removal.ts';
import { type ColumnAssignment, changeRow } from '../change-row.ts';
import { changeInTransaction } from '../in-transaction.ts';
import type { RecurringLimit } from '../meters/recurring-limit.ts';
import { toRecurring } from '../meters/recurring-usage.ts';
import type { Page } from '../page.ts';
import { createRecords } from '../records.ts';
import { createNotFound, readName } from '../read-input.ts';
import { getRow } from '../get-row.ts';
import { type RemovedProject, removeProject } from './remove-account.ts';
import { changeSharedLimit, changeTotalLimit, selectSharedLimit } from './shared-limit.ts';

type ProjectStorePorts = Pick<StorePorts, 'database' | 'onChange' | 'windowClock'>;

const SHARED_LIMIT = selectSharedLimit('project_recurring', 'p.id');

const PROJECT = defineRecord(
  {
    id: column<string>('p.id'),
    organizationId: column<string>('p.organization_id'),
    organizationName: column<string>('o.name'),
    name: column<string>('p.name'),
    createdAt: moment('p.created_at'),
    cacheTtlSeconds: ifSet(column<number>('p.cache_ttl_seconds')),
    /** How long it stores full requests and answers; absent if it does not. */
    payloadDays: ifSet(column<number>('p.payload_days')),
    /** The fewest output tokens to which a nearly spent budget may shorten an answer; absent for the default. */
    minOutputTokens: ifSet(column<number>('p.min_output_tokens')),
    routing: column<RoutingChoice>(`COALESCE(p.routing, '{}')`),
    /** Whether another provider continues a stream that one has cut. */
    continue: column<boolean>('p.continue'),
    /** Whether the gateway sets cache marks in requests without any. */
    cacheMarks: column<boolean>('p.cache_marks'),
    /** All that its keys ever used. */
    usage: amount('COALESCE(t.used, project_used(p.id))'),
    /** What all its keys may ever spend together. */
    limit: orNull(amount('t.lim')),
  },
  { columns: SHARED_LIMIT.columns, read: toRecurring },
);

/** A part of an organization with its own keys and its own response cache. */
export type Project = RecordOf<typeof PROJECT>;

const ALL_PROJECTS = {
  what: 'project',
  type: PROJECT,
  from: `project p JOIN organization o ON o.id = p.organization_id ${SHARED_LIMIT.join}
    LEFT JOIN meter t ON t.kind = 'project' AND t.subject_id = p.id AND t.lim IS NOT NULL`,
  table: 'project p',
  alias: 'p',
  searched: 'p.name',
};
const PROJECTS = { ...ALL_PROJECTS, where: 'p.removed_at IS NULL' };

const CREATE_PROJECT = `
  INSERT INTO project (id, organization_id, name) SELECT $1, id, $3 FROM organization
  WHERE id = $2 AND removed_at IS NULL FOR KEY SHARE`;

const FIND_ORGANIZATION = 'SELECT organization_id FROM project WHERE id = $1 AND removed_at IS NULL';

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
  const projects = createRecords(database, PROJECTS);
  const now = (): [number | null] => [windowClock?.now() ?? null];
  const getProject = (projectId: string): Promise<Project> => projects.get(projectId, now());
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
    getProjectOrRemoved: (projectId) => createRecords(database, ALL_PROJECTS).get(projectId, now()),
    listProjects: ({ organizationId, ...page }) =>
      projects.list({ 'p.organization_id =': organizationId }, page, now()),
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
  await changeRow(ports, { ...PROJECTS, id }, listAssignments(changes));
  if (!changesLimits) return;
  const statement = { text: FIND_ORGANIZATION, values: [id] };
  const { organization_id: organizationId } = await getRow<{ organization_id: string }>(
    ports.database,
    'project',
    statement,
  );
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
} as const satisfies Partial<Record<keyof ProjectChanges, string>>;

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
