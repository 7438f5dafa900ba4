import { type AnyResource, RESOURCES, type ResourcePorts, perform } from '#app';
import { formatCount } from '#base';
import { GatewayError } from '#errors';

/** A resource whose records commands take by name, too. */
type NamedResource = AnyResource & Required<Pick<AnyResource, 'named'>>;

export const isNamed = (resource: AnyResource): resource is NamedResource => resource.named !== undefined;

const NAMED = RESOURCES.filter(isNamed);

interface NamedRecord {
  /** The id or name as written. */
  text: string;
  /** Only what belongs to this organization, or this project. */
  within?: { organizationId?: string | undefined; projectId?: string | undefined };
}

/** The id that was written, or that of the only record with the written name. */
export async function findNamedId(
  ports: ResourcePorts,
  resource: NamedResource,
  { text, within = {} }: NamedRecord,
): Promise<string> {
  const { name: kind, named, operations } = resource;
  // An empty text selects requests without one.
  if (text === '' || (await isKnown(ports.directory, { [`${kind}Id`]: text }))) return text;
  const filters = Object.entries(within).filter(
    ([member, id]) => id !== undefined && operations['list']?.input[member] !== undefined,
  );
  const input = { search: text, ...Object.fromEntries(filters) };
  const { result } = await perform(resource, 'list', { ...ports, id: '', input, page: {} });
  const found = (result as { id: string }[]).filter((record) => Reflect.get(record, named.by) === text);
  const quoted = JSON.stringify(text);
  if (found.length > 1)
    throw new Error(
      `${formatCount(found.length, kind)} are named ${quoted}; name one by its id: ${found.map(({ id }) => id).join(', ')}`,
    );
  const [one] = found;
  if (one) return one.id;
  const article = /^[aeiou]/.test(kind) ? 'an' : 'a';
  const message = `${quoted} is neither the id nor the name of ${article} ${kind}`;
  throw new GatewayError('not_found', message, { missing: kind });
}

async function isKnown(directory: ResourcePorts['directory'], ids: object): Promise<boolean> {
  try {
    await directory.requireKnown(ids);
    return true;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'not_found') return false;
    throw error;
  }
}

/** Whether an option names a record: `--org <id>` an organization. */
export const isNameOption = (flags: string): boolean =>
  NAMED.some(({ named }) => flags.split(' ', 1)[0] === `--${named.option}`);

/** The options with ids in place of names; those of earlier resources narrow those of later ones. */
export async function findOptionIds<Options extends object>(
  ports: ResourcePorts,
  options: Options,
): Promise<Options> {
  const found: Record<string, string> = {};
  for (const resource of NAMED) {
    const { option } = resource.named;
    const text: unknown = Reflect.get(options, option);
    if (typeof text !== 'string') continue;
    const within = { organizationId: found['org'], projectId: found['project'] };
    found[option] = await findNamedId(ports, resource, { text, within });
  }
  return { ...options, ...found };
}
