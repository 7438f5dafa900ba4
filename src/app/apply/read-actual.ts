import type { Directory, KeyRecord, Organization, Project, RuleRecord } from '#accounts';
import { formatUsd } from '#base';
import {
  type ActualKey,
  type ActualOrganization,
  type ActualProject,
  type ActualRule,
  NONE,
} from './manifest.ts';

/** Everything there is, or one organization, in the words of a manifest. */
export async function readActual(
  directory: Directory,
  organizationId?: string,
): Promise<ActualOrganization[]> {
  const organizations =
    organizationId === undefined
      ? await directory.listOrganizations()
      : [await directory.getOrganization(organizationId)];
  const all: ActualOrganization[] = [];
  for (const organization of organizations) all.push(await readOrganization(directory, organization));
  return all;
}

async function readOrganization(
  directory: Directory,
  { id, name, plan, rateLimits }: Organization,
): Promise<ActualOrganization> {
  const records = await directory.listRules({ organizationId: id });
  const keys = await directory.listKeys({ organizationId: id });
  const projects = await directory.listProjects(id);
  const status = await directory.findPlan(id);
  return {
    id,
    name,
    plan,
    overflow: status?.overflow ?? false,
    rateLimits,
    rules: pickRules(records, id),
    projects: projects.map((project) =>
      toActualProject(project, {
        rules: pickRules(records, project.id),
        keys: keys
          .filter(({ projectId }) => projectId === project.id)
          .map((key) => toActualKey(key, pickRules(records, key.id))),
      }),
    ),
  };
}

function toActualProject(project: Project, rest: Pick<ActualProject, 'rules' | 'keys'>): ActualProject {
  const { id, name, cacheTtlSeconds = 0, payloadDays = 0 } = project;
  return { id, name, cacheTtlSeconds, payloadDays, ...rest };
}

function toActualKey(key: KeyRecord, rules: ActualRule[]): ActualKey {
  const { id, label, memberId, limit, recurringLimit, rateLimits, expiresAt, disabled } = key;
  return {
    id,
    label,
    ...(memberId !== undefined && { member: memberId }),
    limit: limit === null ? NONE : formatUsd(limit),
    recurringLimit: recurringLimit ? `${formatUsd(recurringLimit.amount)}/${recurringLimit.period}` : NONE,
    rateLimits,
    expiresAt: expiresAt === undefined ? NONE : new Date(expiresAt).toISOString(),
    disabled,
    rules,
  };
}

function pickRules(records: readonly RuleRecord[], subject: string): ActualRule[] {
  return records
    .filter(({ subjectId }) => subjectId === subject)
    .map(({ id, type, values }) => ({ id, type, values }));
}
