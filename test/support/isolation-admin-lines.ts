import { ADMIN_CALLS, type AdminSubjects, OF_ALL, REPORT_CALLS } from './admin-calls.ts';
import type { IsolationLine } from './isolation-line.ts';
import type { IsolationCall } from './isolation.ts';
import { CANARY_WORDS } from './isolation-owner.ts';
import { RESOURCE_ROUTES, type ResourceRoute, createSample, nameId } from './resource-samples.ts';

/** The call that proves an admin endpoint, about the owner's records. */
function administers(route: string, differs: Partial<IsolationLine> = {}): IsolationLine {
  const call = (names: AdminSubjects): IsolationCall => {
    const created = ADMIN_CALLS[route]?.(names);
    if (!created) throw new Error(`test/support/admin-calls.ts has no call of ${route}`);
    return { ...created, path: `/admin/v1${created.path}` };
  };
  return { of: 'organization', call, ...differs };
}

const KEEPING = new Set(['create', 'list', 'get', 'update']);

/** The calls of an operation: about each record of the owner that it can name; of a list also without a filter. */
function toLines(route: ResourceRoute): IsolationLine[] {
  const { name, resource, operation } = route;
  const called = `${route.method} ${route.path}`;
  if (name === 'list') return toListLines(route, called);
  const namesOthers = Object.values(operation.input).some(({ type }) => type.refersTo !== undefined);
  if (name === 'create' && !namesOthers) return [administers(called, OF_ALL)];
  // A part of an organization names nothing but the organization, as the call does.
  if (route.method === 'GET' && route.path.includes('{id}/'))
    return [administers(called, { reports: false })];
  if (KEEPING.has(name)) return [administers(called)];
  const renew: NonNullable<IsolationLine['renew']> = async ({ gateway, names }) => ({
    [nameId(resource.name)]: await createSample(gateway, resource, { ids: names, isNew: true }),
  });
  return [administers(called, { renew, ...(operation.isForUnbound === true && OF_ALL) })];
}

/** A list contains what the admin key can see; it is empty for another organization. */
function toListLines({ path, operation }: ResourceRoute, called: string): IsolationLine[] {
  const ofAll = (): IsolationCall => ({ path: operation.kind === 'page' ? `${path}?limit=100` : path });
  const list = { foreign: 200, common: CANARY_WORDS.user };
  return [
    administers(called, { ...list, about: 'of the organization', reports: false }),
    administers(called, { ...list, about: 'of all that the caller can see', call: ofAll }),
  ];
}

/** The calls of each admin route. */
export const ADMIN_LINES: Readonly<Record<string, readonly IsolationLine[]>> = {
  ...Object.fromEntries(RESOURCE_ROUTES.map((route) => [`${route.method} ${route.path}`, toLines(route)])),
  ...Object.fromEntries(
    Object.entries(REPORT_CALLS).map(([route, { isolation }]) => [route, [administers(route, isolation)]]),
  ),
};
