import { isDeepStrictEqual } from 'node:util';
import type { FileValues } from '#accounts';
import type { SettingsProblem } from '../settings/settings-problem.ts';
import type { Change, Subject } from './change.ts';
import { type ExistingEntry, type DeclaredEntry, dropUnused } from './entry.ts';
import { type EntryField, type EntryKind, ORGANIZATIONS, type EntrySection } from './entry-kind.ts';
import { Matcher } from './match.ts';

/** The changes in order, and what does not change. */
export interface ChangePlan {
  changes: Change[];
  /** What exists and no file mentions. */
  unmanaged: Subject[];
  /** Why the plan cannot be carried out. */
  problems: SettingsProblem[];
}

/** The steps from what there is to what files declare: owners first, and nothing where both agree. */
export function planChanges(
  declared: readonly DeclaredEntry[],
  actual: readonly ExistingEntry[],
): ChangePlan {
  const planner = new Planner();
  planner.planList(ORGANIZATIONS, { declared, actual, owner: undefined });
  return planner.plan;
}

interface List {
  declared: readonly DeclaredEntry[];
  actual: readonly ExistingEntry[];
  owner: Subject | undefined;
}

class Planner {
  readonly plan: ChangePlan = { changes: [], unmanaged: [], problems: [] };

  planList(kind: EntryKind, { declared, actual, owner }: List): void {
    const layer = kind.resource.name;
    const matcher = new Matcher(layer, actual, this.plan.problems);
    const toTitle = (name: string): string => (owner ? `${owner.title} / ${name}` : name);
    for (const entry of declared) {
      const match = matcher.match(entry);
      if (!match) continue;
      const name = match.actual?.name ?? entry.name ?? '';
      const subject: Subject = { layer, ...(match.actual && { id: match.actual.id }), title: toTitle(name) };
      subject.place = entry.locate();
      const values = match.actual?.values ?? this.#create({ kind, subject, owner, name }, entry.values);
      this.#planName(kind, subject, { from: name, to: entry.name });
      for (const section of kind.sections) this.#planSection(section, subject, { entry, values });
      for (const content of kind.contents)
        this.#planContent(content, subject, { entry, actual: match.actual });
    }
    for (const { id, name } of matcher.listRest())
      this.plan.unmanaged.push({ layer, id, title: toTitle(name) });
  }

  #planName(
    { naming: section, name: member }: EntryKind,
    subject: Subject,
    { from, to = from }: { from: string; to: string | undefined },
  ): void {
    if (section && member !== undefined && from !== to)
      this.plan.changes.push({ action: 'set', subject, section, member, from, to });
  }

  /** The values of the new record. */
  #create(
    facts: { kind: EntryKind; subject: Subject; owner: Subject | undefined; name: string },
    given: FileValues,
  ) {
    const fields = facts.kind.sections.flatMap((section) => section.fields);
    const initial = Object.fromEntries(fields.map(({ name, spelling }) => [name, spelling.write(undefined)]));
    const settings = Object.fromEntries(
      fields
        .filter((field) => field.initial !== undefined && isChange(field, initial, given))
        .map(({ name }) => [name, given[name]]),
    );
    this.plan.changes.push({ action: 'create', ...facts, settings });
    return { ...initial, ...settings };
  }

  #planSection(
    section: EntrySection,
    subject: Subject,
    { entry, values }: { entry: DeclaredEntry; values: FileValues },
  ): void {
    const { fields, manifest, resource, isPart } = section;
    const changed = fields.filter((field) => isChange(field, values, entry.values));
    if (isPart) {
      const from = pick(fields, values);
      const merged = { ...from, ...pick(fields, entry.values) };
      const to = dropUnused(merged, manifest);
      for (const { name } of fields)
        if (entry.values[name] !== undefined && to[name] === undefined)
          this.#addProblem(
            entry,
            name,
            `"${name}" does not apply to ${manifest.describe?.(to) ?? 'the other fields'}`,
          );
      if (!isDeepStrictEqual(dropUnused(from, manifest), to))
        this.plan.changes.push({ action: 'set', subject, section, member: resource.name, from, to });
      return;
    }
    for (const { name, operation } of changed) {
      const [from, to] = [values[name], entry.values[name]];
      if (operation === 'create')
        this.#addProblem(
          entry,
          name,
          `"${name}" of the ${subject.layer} cannot be changed after it is created`,
        );
      else this.plan.changes.push({ action: 'set', subject, section, member: name, from, to });
    }
  }

  #planContent(
    kind: EntryKind,
    subject: Subject,
    { entry, actual }: { entry: DeclaredEntry; actual: ExistingEntry | undefined },
  ): void {
    const declared = entry.lists[kind.list];
    const present = actual?.lists[kind.list] ?? [];
    if (kind.name !== undefined)
      this.planList(kind, { declared: declared ?? [], actual: present, owner: subject });
    else if (declared) this.#planSet(kind, subject, { declared, present });
  }

  /** Additions first: in between, both the old and the new rules apply, never neither. */
  #planSet(
    kind: EntryKind,
    subject: Subject,
    { declared, present }: { declared: readonly DeclaredEntry[]; present: readonly ExistingEntry[] },
  ): void {
    const rest = [...present];
    for (const { values } of declared) {
      const index = rest.findIndex((each) => toIdentity(each.values) === toIdentity(values));
      if (index === -1) this.plan.changes.push({ action: 'add', subject, kind, values });
      else rest.splice(index, 1);
    }
    for (const { id, values } of rest)
      this.plan.changes.push({ action: 'remove', subject, kind, values, id });
  }

  #addProblem(entry: DeclaredEntry, field: string, message: string): void {
    this.plan.problems.push({ place: entry.locate(field), message });
  }
}

const isChange = ({ name }: EntryField, from: FileValues, to: FileValues): boolean =>
  to[name] !== undefined && !isDeepStrictEqual(from[name], to[name]);

const pick = (fields: readonly EntryField[], values: FileValues): FileValues =>
  Object.fromEntries(
    fields.filter(({ name }) => values[name] !== undefined).map(({ name }) => [name, values[name]]),
  );

/** The same for the same values in any order. */
function toIdentity(values: FileValues): string {
  return JSON.stringify(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? (value as string[]).toSorted() : value,
    ]),
  );
}
