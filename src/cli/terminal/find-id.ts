import type { ResourcePorts } from '#app';
import { formatCount } from '#base';
import { GatewayError } from '#errors';

/** What is named on the command line. */
type NamedKind = 'organization' | 'project' | 'key' | 'member';

type Directory = ResourcePorts['directory'];
/** Only what belongs to this organization, or this project. */
type Within = { organizationId?: string | undefined; projectId?: string | undefined };

interface Kind {
  /** The member that selects by its id. */
  member: 'organizationId' | 'projectId' | 'keyId' | 'memberId';
  article: 'a' | 'an';
  list(
    directory: Directory,
    search: string,
    within: Within,
  ): Promise<readonly { id: string; name: string }[]>;
}

const KINDS: Readonly<Record<NamedKind, Kind>> = {
  organization: {
    member: 'organizationId',
    article: 'an',
    list: (directory, search) => directory.listOrganizations({ search }),
  },
  project: {
    member: 'projectId',
    article: 'a',
    list: (directory, search, { organizationId }) =>
      directory.listProjects({ search, ...(organizationId !== undefined && { organizationId }) }),
  },
  key: {
    member: 'keyId',
    article: 'a',
    list: async (directory, search, { organizationId, projectId }) => {
      const only = {
        ...(organizationId !== undefined && { organizationId }),
        ...(projectId !== undefined && { projectId }),
      };
      const keys = await directory.listKeys({ search, ...only });
      return keys.map(({ id, label }) => ({ id, name: label }));
    },
  },
  member: {
    member: 'memberId',
    article: 'a',
    list: (directory, search, { organizationId }) =>
      directory.listMembers({ search, ...(organizationId !== undefined && { organizationId }) }),
  },
};

export const isNamedKind = (name: string): name is NamedKind => Object.hasOwn(KINDS, name);

/** The id that was written, or that of the only record with the written name. */
export async function findNamedId(
  directory: Directory,
  { kind, text, within = {} }: { kind: NamedKind; text: string; within?: Within },
): Promise<string> {
  const { member, article, list } = KINDS[kind];
  // An empty text selects requests without one.
  if (text === '' || (await isKnown(directory, { [member]: text }))) return text;
  const found = (await list(directory, text, within)).filter(({ name }) => name === text);
  const quoted = JSON.stringify(text);
  if (found.length > 1)
    throw new Error(
      `${formatCount(found.length, kind)} are named ${quoted}; name one by its id: ${found.map(({ id }) => id).join(', ')}`,
    );
  const [one] = found;
  if (one) return one.id;
  const message = `${quoted} is no id and no name of ${article} ${kind}`;
  throw new GatewayError('not_found', message, { missing: kind });
}

async function isKnown(
  directory: Directory,
  ids: Parameters<Directory['requireKnown']>[0],
): Promise<boolean> {
  try {
    await directory.requireKnown(ids);
    return true;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'not_found') return false;
    throw error;
  }
}

/** Options whose values are ids or names; those before narrow those after. */
const OPTIONS = [
  ['org', 'organization'],
  ['project', 'project'],
  ['member', 'member'],
  ['key', 'key'],
] as const;

/** The kind of record that an option names: `--org <id>` an organization. */
export function findOptionKind(flags: string): NamedKind | undefined {
  return OPTIONS.find(([option]) => flags.split(' ', 1)[0] === `--${option}`)?.[1];
}

/** The options with ids in place of names. */
export async function findOptionIds<Options extends object>(
  directory: Directory,
  options: Options,
): Promise<Options> {
  const found: Record<string, string> = {};
  for (const [option, kind] of OPTIONS) {
    const text: unknown = Reflect.get(options, option);
    if (typeof text !== 'string') continue;
    const within = { organizationId: found['org'], projectId: found['project'] };
    found[option] = await findNamedId(directory, { kind, text, within });
  }
  return { ...options, ...found };
}
