import { orNone, orNull } from '../resource/field-type.ts';
import { filter, maybe, needed, resourceOf } from '../resource/resource.ts';
import { count, idOf, name, number, shown, time } from '../resource/types.ts';
import type { Directory, Project } from './directory.ts';

/** A list of the projects of all organizations tells whose each is. */
type ListedProject = Project & { organizationName?: string };

const { define, operation } = resourceOf<{ directory: Directory }, ListedProject>();

const TTL = 'a whole number of seconds from 10 to 31536000, or null to keep no answers';

export const projectResource = define({
  name: 'project',
  path: 'projects',
  scope: 'accounts',
  fields: {
    organizationId: shown(),
    name: shown(),
    cacheTtlSeconds: orNull(number(), 'How long answers are kept for replay; null: not at all.'),
    payloadDays: orNull(number(), 'How long requests and answers are kept word for word; null: not at all.'),
    createdAt: time,
  },
  operations: {
    create: operation({
      summary: 'Make a project: a part of an organization with its own keys.',
      answer: 'The project.',
      kind: 'one',
      input: {
        organizationId: needed(idOf('organization', 'its organization'), {
          as: '--org <id>',
          help: 'the organization, as `orgs list` shows it',
        }),
        name: needed(name, { as: '<name>', help: 'what it is called' }),
      },
      run: ({ directory, input }) => directory.createProject(input),
    }),
    list: operation({
      summary: 'List the projects of an organization, oldest first.',
      answer: 'A page of projects.',
      kind: 'page',
      input: {
        organizationId: filter(
          idOf('organization', 'an organization'),
          'The organization; needed unless the admin key is bound to one.',
          { as: '--org <id>', help: 'only projects of this organization' },
        ),
      },
      requires: 'organizationId',
      run: ({ directory, input: { organizationId }, page }) =>
        organizationId === undefined ? listAll(directory) : directory.listProjects(organizationId, page),
    }),
    get: operation({
      summary: 'A project.',
      answer: 'The project.',
      kind: 'one',
      input: {},
      run: ({ directory, id }) => directory.getProject(id),
    }),
    update: operation({
      summary: 'Change how long a project keeps answers for replay.',
      answer: 'The project as it is now.',
      kind: 'one',
      input: {
        cacheTtlSeconds: maybe(orNone(count({ least: 10, most: 31_536_000 }), TTL)),
      },
      run: async ({ directory, id, input: { cacheTtlSeconds: ttlSeconds } }) => {
        if (ttlSeconds !== undefined) await directory.setCacheTtl({ projectId: id, ttlSeconds });
        return directory.getProject(id);
      },
    }),
  },
  commands: {
    group: 'projects',
    summary: 'Create projects and look at them.',
    naming: { as: '<id>', help: 'the project’s id, as listed' },
    empty: 'no projects',
    columns: {
      id: 'id',
      name: 'name',
      cache: ({ cacheTtlSeconds }) => (cacheTtlSeconds === undefined ? 'off' : `${cacheTtlSeconds} s`),
      payloads: ({ payloadDays }) => (payloadDays === undefined ? 'off' : `${payloadDays} days`),
      organization: 'organizationName',
      'organization id': 'organizationId',
    },
    commands: [
      {
        name: 'create',
        does: 'create',
        summary: 'Create a project; it has its own keys and its own response cache.',
        examples: ['projects create --org org_… web'],
        says: ({ id }) => [id],
      },
      {
        name: 'list',
        does: 'list',
        summary: 'List projects with their organizations.',
        examples: ['projects list', 'projects list --org org_…'],
      },
    ],
  },
});

async function listAll(directory: Directory): Promise<ListedProject[]> {
  const organizations = await directory.listOrganizations();
  const lists = await Promise.all(
    organizations.map(async ({ id, name: organizationName }) =>
      (await directory.listProjects(id)).map((project) => ({ ...project, organizationName })),
    ),
  );
  return lists.flat();
}
