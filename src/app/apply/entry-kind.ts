import type { ManifestSpec, Resource, ResourcePorts } from '#accounts';
import { RESOURCES } from '#accounts';
import { type ValueSpelling, createSpelling } from './spelling.ts';

type AnyResource = Resource<ResourcePorts>;

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
    const { list, name } = manifest;
    const naming = name === undefined ? undefined : createNaming(resource, manifest, name);
    return [{ resource, list, name, naming, manifest, sections, contents: createKinds(own) }];
  });
  // A new key is bound by the rules of its organization before it exists.
  return kinds.toSorted((one, other) => Number(one.name !== undefined) - Number(other.name !== undefined));
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
    })),
  );
  return [{ resource, manifest, fields, isPart }];
}

function createNaming(resource: AnyResource, manifest: ManifestSpec, name: string): EntrySection {
  const spelling = findSpelling(resource, 'update', name);
  const field = { name, member: name, operation: 'update', spelling, initial: undefined };
  return { resource, manifest, fields: [field], isPart: false };
}

function findSpelling({ name, operations }: AnyResource, operation: string, member: string): ValueSpelling {
  const field = operations[operation]?.input[member];
  if (!field) throw new Error(`${operation} of a ${name} has no ${member}`);
  return createSpelling(field.type);
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
