import { decodeInput, wireNameOf } from '#fields';
import type { Operation, Resource, ResourcePorts } from '#accounts';
import type { JsonObject } from '#base';
import { RESOURCES, perform } from '#accounts';
import { describeRoute } from '../../src/http/resource-endpoints.ts';
import type { InProcessGateway } from './in-process.ts';
import { UNUSED_INSTALLATION } from './unused-installation.ts';

/** The gateway in which samples are created. */
type Installation = Pick<InProcessGateway, 'accounts' | 'terms'>;

type AnyResource = Resource<ResourcePorts>;

/** Ids by the names of `nameId`. */
export type Ids = Readonly<Record<string, string>>;

/** An operation of a resource that has an endpoint. */
export interface ResourceRoute {
  resource: AnyResource;
  name: string;
  operation: Operation<ResourcePorts>;
  method: string;
  /** As OpenAPI writes it: `/admin/v1/keys/{id}`. */
  path: string;
}

export const RESOURCE_ROUTES: readonly ResourceRoute[] = RESOURCES.flatMap((resource) =>
  Object.entries(resource.operations)
    .filter(([, { local }]) => local === undefined)
    .map(([name, operation]) => ({ resource, name, operation, ...describeRoute(resource, name) })),
);

/** `custom_model` → `customModelId` */
export const nameId = (resource: string): string =>
  `${resource.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}Id`;

let counted = 0;

/** The example of an operation with these ids; a new record gets an unused name. */
export function createBody({ input, example }: Operation<ResourcePorts>, ids: Ids, isNew = false) {
  if (!example) return undefined;
  const body: JsonObject = { ...example };
  for (const [name, { type }] of Object.entries(input)) {
    const { refersTo } = type;
    const member = wireNameOf(name, type);
    if (refersTo === undefined || body[member] === undefined) continue;
    const kind = typeof refersTo === 'string' ? refersTo : (body[refersTo.member] as string);
    const id = ids[nameId(kind)];
    if (id === undefined) throw new Error(`the id of a ${kind} is not known`);
    body[member] = id;
  }
  if (isNew && typeof body['name'] === 'string') body['name'] += `-${(counted += 1)}`;
  return body;
}

interface SampleOptions {
  ids: Ids;
  /** Members that replace those of the example. */
  differs?: JsonObject;
  /** The name of the example is taken. */
  isNew?: boolean;
}

/** Creates a record from the example of its definition; returns its id. */
export async function createSample(
  { accounts: { directory }, terms }: Installation,
  resource: AnyResource,
  { ids, differs = {}, isNew = false }: SampleOptions,
): Promise<string> {
  const create = resource.operations['create'];
  const body = create && createBody(create, ids, isNew);
  if (!body) throw new Error(`a ${resource.name} has no example of how it is created`);
  const { json } = await perform(resource, 'create', {
    directory,
    ...UNUSED_INSTALLATION,
    byokTerms: () => terms,
    id: '',
    input: decodeInput(create.input, { ...body, ...differs }),
    page: {},
  });
  return json['id'] as string;
}

/** Creates one of each kind that `ids` lacks, in the order of the resources: later ones refer to earlier ones. */
export async function createSamples(
  installation: Installation,
  ids: Ids,
  differs: Readonly<Record<string, JsonObject>> = {},
): Promise<Ids> {
  const made: Record<string, string> = { ...ids };
  for (const resource of RESOURCES) {
    const name = nameId(resource.name);
    if (made[name] !== undefined || !resource.operations['create']) continue;
    const changed = differs[resource.name];
    made[name] = await createSample(installation, resource, {
      ids: made,
      ...(changed && { differs: changed }),
    });
  }
  return made;
}
