import type { AnyResource, ResourcePorts } from '#accounts';
import { perform } from '#accounts';
import { type ExistingEntry, dropUnused } from './entry.ts';
import { type EntryKind, ORGANIZATIONS, type EntrySection, findOwner } from './entry-kind.ts';

type DbRecord = { [member: string]: unknown; id: string };

/** The records of one organization by their resource. */
type Records = ReadonlyMap<string, readonly DbRecord[]>;

/** All organizations, or one, spelled as in a file. */
export async function readExistingEntries(
  ports: ResourcePorts,
  organizationId?: string,
): Promise<ExistingEntry[]> {
  const input = organizationId === undefined ? {} : { organizationId };
  const organizations = await list(ORGANIZATIONS.resource, { ports, input });
  const all: ExistingEntry[] = [];
  for (const organization of organizations) {
    const records = new Map<string, readonly DbRecord[]>();
    for (const { resource } of listKinds(ORGANIZATIONS.contents))
      if (!records.has(resource.name))
        records.set(
          resource.name,
          await list(resource, { ports, input: { organizationId: organization.id } }),
        );
    all.push(await toActual(ORGANIZATIONS, organization, { ports, records }));
  }
  return all;
}

const listKinds = (kinds: readonly EntryKind[]): EntryKind[] =>
  kinds.flatMap((kind) => [kind, ...listKinds(kind.contents)]);

async function list(
  resource: AnyResource,
  { ports, input }: { ports: ResourcePorts; input: object },
): Promise<readonly DbRecord[]> {
  const { result } = await perform(resource, 'list', { ...ports, id: '', input, page: {} });
  return result as readonly DbRecord[];
}

async function toActual(
  kind: EntryKind,
  record: DbRecord,
  { ports, records }: { ports: ResourcePorts; records: Records },
): Promise<ExistingEntry> {
  const { id } = record;
  const actual: ExistingEntry = {
    id,
    name: kind.name === undefined ? '' : String(record[kind.name]),
    values: {},
    lists: {},
  };
  for (const section of kind.sections) {
    const { resource, isPart } = section;
    const call = { ...ports, id, input: {}, page: {} };
    const source = isPart ? ((await perform(resource, 'get', call)).result as DbRecord) : record;
    Object.assign(actual.values, writeFields(section, source));
  }
  for (const content of kind.contents) {
    const { member } = findOwner(content.resource, kind.resource.name);
    const contained = (records.get(content.resource.name) ?? []).filter((each) => each[member] === id);
    actual.lists[content.list] = await Promise.all(
      contained.map((each) => toActual(content, each, { ports, records })),
    );
  }
  return actual;
}

function writeFields({ fields, manifest }: EntrySection, record: DbRecord) {
  return dropUnused(
    Object.fromEntries(fields.map(({ name, member, spelling }) => [name, spelling.write(record[member])])),
    manifest,
  );
}
