import type { InputField } from '#fields';
import type { AnyResource, ManifestSpec } from '#accounts';
import { RESOURCES } from '#accounts';
import { type ValueSpelling, createSpelling } from './spelling.ts';

/** A field of an entry. */
export interface EntryField {
  /** In files; `member` for `memberId`. */
  name: string;
  /** In records and inputs. */
  member: string;
  /** The operation that sets it. */
  operation: string;
  spelling: ValueSpelling;
  /** How it is given to `create`; absent if it is set afterwards. */
  initial: ValueSpelling | undefined;
  /** The kind of entry that it names, by id, identity or name. */
  refersTo: string | undefined;
}

/** Fields of an entry that belong to one resource: the entry's own, or those of a part such as a plan. */
export interface EntrySection {
  resource: AnyResource;
  manifest: ManifestSpec;
  fields: readonly EntryField[];
  /** Whether the fields change together. */
  isPart: boolean;
}

/** A kind of entry, with the lists that its entries contain. */
export interface EntryKind {
  resource: AnyResource;
  list: string;
  /** The field with the name of an entry; absent if entries have none. */
  name: string | undefined;
  /** What renames an entry that a file names by its id. */
  naming: EntrySection | undefined;
  /** The field that finds an entry before its name. */
  identity: string | undefined;
  manifest: ManifestSpec;
  sections: readonly EntrySection[];
  contents: readonly EntryKind[];
}

/** What a file lists at the top. */
export const ORGANIZATIONS = createKinds(undefined)[0] as EntryKind;

function createKinds(within: string | undefined): EntryKind[] {
  const kinds = RESOURCES.flatMap((resource): EntryKind[] => {
    const { name: own, manifest } = resource;
    if (manifest?.list === undefined || !isWithin(manifest, within)) return [];
    const parts = RESOURCES.filter(
      (part) => part.manifest && !part.manifest.list && isWithin(part.manifest, own),
    );
    const sections = [...parts, resource].flatMap((each) => createSection(each, each !== resource));
    const { list, name, identity } = manifest;
    const naming = name === undefined ? undefined : createNaming(resource, manifest, name);
    return [{ resource, list, name, naming, identity, manifest, sections, contents: createKinds(own) }];
  });
  return kinds.toSorted((one, other) => rank(one) - rank(other));
}

/** A new key is bound by the rules of its organization before it exists, and refers to a member. */
function rank({ name, contents }: EntryKind): number {
  if (name === undefined) return 0;
  return contents.length === 0 ? 1 : 2;
}

function isWithin({ within }: ManifestSpec, owner: string | undefined): boolean {
  return owner === undefined ? within === undefined : (within?.includes(owner) ?? false);
}

function createSection(resource: AnyResource, isPart: boolean): EntrySection[] {
  const { manifest, operations } = resource;
  if (!manifest) return [];
  const fields = Object.entries(manifest.fields).flatMap(([operation, members]) =>
    members.map((member) => ({
      name: member.replace(/Id$/, ''),
      member,
      operation,
      spelling: findSpelling(resource, operation, member),
      initial: operations['create']?.input[member] && findSpelling(resource, 'create', member),
      refersTo: findReference(operations[operation]?.input[member]),
    })),
  );
  return [{ resource, manifest, fields, isPart }];
}

function createNaming(resource: AnyResource, manifest: ManifestSpec, name: string): EntrySection {
  const spelling = findSpelling(resource, 'update', name);
  const field: EntryField = {
    name,
    member: name,
    operation: 'update',
    spelling,
    initial: undefined,
    refersTo: undefined,
  };
  return { resource, manifest, fields: [field], isPart: false };
}

function findSpelling({ name, operations }: AnyResource, operation: string, member: string): ValueSpelling {
  const field = operations[operation]?.input[member];
  if (!field) throw new Error(`${operation} of a ${name} has no ${member}`);
  const spelling = createSpelling(field.type);
  const initial = operations['create']?.input[member]?.cli?.fallback?.value;
  return initial === undefined
    ? spelling
    : { ...spelling, write: (value) => spelling.write(value ?? initial) };
}

function findReference(field: InputField | undefined): string | undefined {
  const refersTo = field?.type.refersTo;
  return typeof refersTo === 'string' ? refersTo : undefined;
}

/** Defaults of members that `create` requires and files may omit. */
export function listFallbacks({ operations }: AnyResource): { [member: string]: unknown } {
  const fields = Object.entries(operations['create']?.input ?? {});
  return Object.fromEntries(
    fields.flatMap(([member, { isOptional, cli }]) =>
      isOptional || cli?.fallback === undefined ? [] : [[member, cli.fallback.value]],
    ),
  );
}

/** The input of `create` that puts a new record into another, and the member of its records that names that one. */
export function findOwner(
  { name, operations }: AnyResource,
  owner: string,
): { member: string; toInput(id: string): Record<string, string> } {
  for (const [member, { type }] of Object.entries(operations['create']?.input ?? {})) {
    const { refersTo } = type;
    if (refersTo === owner) return { member, toInput: (id) => ({ [member]: id }) };
    if (typeof refersTo === 'object')
      return { member, toInput: (id) => ({ [refersTo.member]: owner, [member]: id }) };
  }
  throw new Error(`a ${name} cannot be created in a ${owner}`);
}
