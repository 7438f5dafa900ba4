import { isDeepStrictEqual } from 'node:util';
import type { SettingsProblem } from '../settings/settings-problem.ts';
import type { Change, PlanChoice, Setting, Subject } from './change.ts';
import {
  type ActualKey,
  type ActualOrganization,
  type ActualProject,
  type ActualRule,
  type DesiredKey,
  type DesiredOrganization,
  type DesiredProject,
  type ManifestRule,
  NONE,
} from './manifest.ts';
import { Matcher } from './match.ts';

/** What is to be done, in order, and what is left alone. */
export interface ChangePlan {
  changes: Change[];
  /** What there is and no file mentions. */
  unmanaged: Subject[];
  /** Why it cannot be done at all. */
  problems: SettingsProblem[];
}

const NEW_ORGANIZATION = { plan: NONE, overflow: false, rateLimits: {} } as const;
const NEW_PROJECT = { cacheTtlSeconds: 0, payloadDays: 0 };
const NEW_KEY = { limit: NONE, recurringLimit: NONE, rateLimits: {}, expiresAt: NONE, disabled: false };

/** The steps from what there is to what the files say: parents first, and nothing where both agree. */
export function planChanges(
  desired: readonly DesiredOrganization[],
  actual: readonly ActualOrganization[],
): ChangePlan {
  const planner = new Planner();
  planner.planOrganizations(desired, actual);
  return planner.plan;
}

class Planner {
  readonly plan: ChangePlan = { changes: [], unmanaged: [], problems: [] };

  planOrganizations(desired: readonly DesiredOrganization[], actual: readonly ActualOrganization[]): void {
    const matcher = new Matcher(actual, ({ name }) => name, this.plan.problems);
    for (const wanted of desired) {
      const { id, name, place } = wanted;
      const match = matcher.match({ layer: 'organization', id, name, place });
      if (match) this.#planOrganization(wanted, match.actual);
    }
    for (const { id, name } of matcher.listRest())
      this.plan.unmanaged.push({ layer: 'organization', id, title: name });
  }

  #planOrganization(wanted: DesiredOrganization, actual: ActualOrganization | undefined): void {
    const name = actual?.name ?? wanted.name ?? '';
    const { place } = wanted;
    const subject: Subject = { layer: 'organization', ...(actual && { id: actual.id }), title: name, place };
    if (!actual) this.#create({ subject, creation: { layer: 'organization', name } });
    const { plan, overflow, rateLimits } = actual ?? NEW_ORGANIZATION;
    this.#planPlan(subject, wanted, { plan, overflow });
    this.#set(subject, { member: 'rateLimits', from: rateLimits, to: wanted.rateLimits ?? rateLimits });
    this.#planRules(subject, wanted.rules, actual?.rules);

    const matcher = new Matcher(actual?.projects ?? [], (project) => project.name, this.plan.problems);
    for (const project of wanted.projects) {
      const match = matcher.match({
        layer: 'project',
        id: project.id,
        name: project.name,
        place: project.place,
      });
      if (match) this.#planProject(subject, project, match.actual);
    }
    for (const { id, name: rest } of matcher.listRest())
      this.plan.unmanaged.push({ layer: 'project', id, title: `${name} / ${rest}` });
  }

  #planPlan(subject: Subject, wanted: DesiredOrganization, from: Required<PlanChoice>): void {
    const plan = wanted.plan ?? from.plan;
    if (plan === NONE && wanted.overflow !== undefined) {
      const message = 'overflow belongs to a plan, and there is none';
      this.plan.problems.push({ place: wanted.place, message });
    }
    const overflow = plan === NONE ? undefined : (wanted.overflow ?? from.overflow);
    if (plan === from.plan && (overflow ?? from.overflow) === from.overflow) return;
    const to = { plan, ...(overflow !== undefined && { overflow }) };
    this.#set(subject, { member: 'plan', from, to });
  }

  #planProject(organization: Subject, wanted: DesiredProject, actual: ActualProject | undefined): void {
    const name = actual?.name ?? wanted.name ?? '';
    const title = `${organization.title} / ${name}`;
    const { place } = wanted;
    const subject: Subject = { layer: 'project', ...(actual && { id: actual.id }), title, place };
    if (!actual) this.#create({ subject, creation: { layer: 'project', name, organization } });
    for (const member of ['cacheTtlSeconds', 'payloadDays'] as const) {
      const from = (actual ?? NEW_PROJECT)[member];
      this.#set(subject, { member, from, to: wanted[member] ?? from });
    }
    this.#planRules(subject, wanted.rules, actual?.rules);

    const matcher = new Matcher(actual?.keys ?? [], ({ label }) => label, this.plan.problems);
    for (const key of wanted.keys) {
      const match = matcher.match({ layer: 'key', id: key.id, name: key.label, place: key.place });
      if (match) this.#planKey(subject, key, match.actual);
    }
    for (const { id, label } of matcher.listRest())
      this.plan.unmanaged.push({ layer: 'key', id, title: `${title} / ${label}` });
  }

  #planKey(project: Subject, wanted: DesiredKey, actual: ActualKey | undefined): void {
    const label = actual?.label ?? wanted.label ?? '';
    const title = `${project.title} / ${label}`;
    const { place } = wanted;
    const subject: Subject = { layer: 'key', ...(actual && { id: actual.id }), title, place };
    if (actual && wanted.member !== undefined && wanted.member !== actual.member) {
      const message = `the key "${label}" belongs to ${actual.member ?? 'no member'}, and never changes hands`;
      this.plan.problems.push({ place: wanted.place, message });
    }
    if (!actual) {
      const { member, limit, recurringLimit, rateLimits, expiresAt } = wanted;
      const given = pickGiven({ member, limit, recurringLimit, rateLimits, expiresAt });
      this.#create({ subject, creation: { ...given, layer: 'key', label, project } });
    }
    // What a key is made with needs no change.
    const current = actual ?? { ...NEW_KEY, ...wanted, disabled: false };
    for (const member of ['limit', 'recurringLimit', 'expiresAt'] as const)
      this.#set(subject, { member, from: current[member], to: wanted[member] ?? current[member] });
    const { rateLimits, disabled } = current;
    this.#set(subject, { member: 'rateLimits', from: rateLimits, to: wanted.rateLimits ?? rateLimits });
    this.#set(subject, { member: 'disabled', from: disabled, to: wanted.disabled ?? disabled });
    this.#planRules(subject, wanted.rules, actual?.rules);
  }

  /** New ones first: between the two a subject is bound by both, never by neither. */
  #planRules(
    subject: Subject,
    wanted: readonly ManifestRule[] | undefined,
    actual: readonly ActualRule[] = [],
  ): void {
    if (!wanted) return;
    const rest = [...actual];
    for (const rule of wanted) {
      const index = rest.findIndex((each) => isSameRule(each, rule));
      if (index === -1) this.plan.changes.push({ action: 'addRule', subject, rule });
      else rest.splice(index, 1);
    }
    for (const { id: ruleId, type, values } of rest)
      this.plan.changes.push({ action: 'removeRule', subject, rule: { type, values }, ruleId });
  }

  #create(change: Omit<Extract<Change, { action: 'create' }>, 'action'>): void {
    this.plan.changes.push({ action: 'create', ...change });
  }

  #set(subject: Subject, setting: Setting): void {
    if (isDeepStrictEqual(setting.from, setting.to)) return;
    this.plan.changes.push({ action: 'set', subject, ...setting });
  }
}

function pickGiven<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: NonNullable<Members[Name]> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Members]?: NonNullable<Members[Name]>;
  };
}

function isSameRule(one: ManifestRule, other: ManifestRule): boolean {
  return one.type === other.type && isDeepStrictEqual(one.values.toSorted(), other.values.toSorted());
}
