import { isDeepStrictEqual } from 'node:util';
import type { FileValues } from '#accounts';
import type { SettingsProblem } from '../settings/settings-problem.ts';
import type { Change, Refers, Subject } from './change.ts';
import { type ExistingEntry, type DeclaredEntry, dropUnused } from './entry.ts';
import { type EntryField, type EntryKind, ORGANIZATIONS, type EntrySection } from './entry-kind.ts';
import { Matcher } from './match.ts';
import { type ReferenceTarget, findReferred, isSameText, readIdentity } from './reference-target.ts';

/** The changes in order, and what does not change. */
export interface ChangePlan {
  changes: Change[];
  /** What exists and no file mentions. */
  unmanaged: Subject[];
  /** Why the plan cannot be carried out. */
  problems: SettingsProblem[];
}

/** The steps from the current state to the declared one: owners first, and none where both agree. */
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
  /** What fields of later entries can refer to, by kind. */
  readonly #referred = new Map<string, readonly Candidate[]>();

  planList(kind: EntryKind, { declared, actual, owner }: List): void {
    const layer = kind.resource.name;
    const matcher = new Matcher(kind, actual, this.plan.problems);
    const candidates: Candidate[] = [];
    const toTitle = (name: string): string => (owner ? `${owner.title} / ${name}` : name);
    for (const entry of declared) {
      const match = matcher.match(entry);
      if (!match) continue;
      const name = match.actual?.name ?? entry.name ?? '';
      const subject: Subject = { layer, ...(match.actual && { id: match.actual.id }), title: toTitle(name) };
      subject.place = entry.locate();
      const given = { ...entry, values: this.#readValues(kind, entry, match.actual) };
      const values = match.actual?.values ?? this.#create({ kind, subject, owner, name }, entry);
      this.#planName(kind, subject, { from: name, to: entry.name });
      for (const section of kind.sections) this.#planSection(section, subject, { entry: given, values });
      candidates.push(
        toCandidate(kind, subject, { name: entry.name ?? name, values: { ...values, ...given.values } }),
      );
      for (const content of kind.contents)
        this.#planContent(content, subject, { entry, actual: match.actual });
    }
    for (const { id, name, values } of matcher.listRest()) {
      const subject = { layer, id, title: toTitle(name) };
      this.plan.unmanaged.push(subject);
      candidates.push(toCandidate(kind, subject, { name, values }));
    }
    this.#referred.set(layer, candidates);
  }

  /** The given values of an existing record, with ids where they name others, and its own spelling of its identity. */
  #readValues(
    { sections, identity }: EntryKind,
    entry: DeclaredEntry,
    actual: ExistingEntry | undefined,
  ): FileValues {
    const values: FileValues = { ...entry.values };
    if (!actual) return values;
    const own = identity === undefined ? undefined : actual.values[identity];
    if (identity !== undefined && isSameText(own, values[identity])) values[identity] = own;
    for (const field of listReferring(sections)) {
      if (values[field.name] === undefined || values[field.name] === actual.values[field.name]) continue;
      const subject = this.#findReferred(field, entry);
      values[field.name] = subject ? (subject.id ?? values[field.name]) : undefined;
    }
    return values;
  }

  #findReferred({ name, refersTo = '' }: EntryField, entry: DeclaredEntry): Subject | undefined {
    const text = String(entry.values[name]);
    const found = findReferred(this.#referred.get(refersTo) ?? [], text);
    if (found.length === 1) return found[0]?.subject;
    const message =
      found.length === 0
        ? `there is no ${refersTo} "${text}" in its organization`
        : `more than one ${refersTo} is named "${text}": ${found.map(({ id }) => id ?? 'a new one').join(' and ')}`;
    this.#addProblem(entry, name, message);
    return undefined;
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
    entry: DeclaredEntry,
  ) {
    const given = entry.values;
    const fields = facts.kind.sections.flatMap((section) => section.fields);
    const initial = Object.fromEntries(fields.map(({ name, spelling }) => [name, spelling.write(undefined)]));
    const settings = Object.fromEntries(
      fields
        .filter((field) => field.initial !== undefined && isChange(field, initial, given))
        .map(({ name }) => [name, given[name]]),
    );
    const refers: Refers = Object.fromEntries(
      listReferring(facts.kind.sections).flatMap((field) => {
        const subject = settings[field.name] === undefined ? undefined : this.#findReferred(field, entry);
        return subject ? [[field.name, subject]] : [];
      }),
    );
    this.plan.changes.push({ action: 'create', ...facts, settings, refers });
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

/** An entry that others can refer to. */
interface Candidate extends ReferenceTarget {
  subject: Subject;
}

const toCandidate = (
  kind: EntryKind,
  subject: Subject,
  { name, values }: { name: string; values: FileValues },
): Candidate => ({ id: subject.id, name, identity: readIdentity(kind, values), subject });

const listReferring = (sections: readonly EntrySection[]): EntryField[] =>
  sections.flatMap(({ fields }) => fields.filter(({ refersTo }) => refersTo !== undefined));

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
