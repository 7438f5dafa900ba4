import { formatCount } from '#base';
import { nullableInput, nullableOutput } from '../resource/field-type.ts';
import { type CommandTarget, filter, optional, required, resourceOf } from '../resource/resource.ts';
import { count, flag, idOf, name, number, outputText, text, time } from '../resource/types.ts';
import { renameCommand } from '../resource/rename-command.ts';
import { routingCommand } from '../routing/routing-command.ts';
import { routing } from '../routing/routing-field.ts';
import type { Page } from '../page.ts';
import type { NamePorts } from '../rules/remark-names.ts';
import type { Project } from './account-tree.ts';
import type { OrganizationStore } from './organizations.ts';
import { type ProjectStore, createProjectStore } from './projects.ts';

/** The list of all organizations' projects includes the name of each organization. */
type ListedProject = Project & { organizationName?: string };

type Books = ProjectStore & Pick<OrganizationStore, 'listOrganizations'>;

interface Ports extends NamePorts {
  directory: Books;
  /** Returns how many there were. */
  deletePayloads(projectId: string): Promise<number>;
}

const { define, operation } = resourceOf<Ports, ListedProject & { deletedPayloads?: number }>();

const ofFirst: CommandTarget = {
  flags: '--project <id>',
  help: 'the project (default: the first)',
  defaultsTo: 'project',
};

const TTL = { least: 10, most: 31_536_000 };
const DAYS = { least: 1, most: 400 };
const TOKENS = { least: 1, most: 64_000 };

/** `10 to 31536000` */
const span = ({ least, most }: { least: number; most: number }): string => `${least} to ${most}`;

export const projectResource = define({
  name: 'project',
  path: 'projects',
  scope: 'accounts',
  owner: ({ directory }, id) => directory.getProject(id),
  store: createProjectStore,
  fields: {
    organizationId: outputText(),
    name: outputText(),
    cacheTtlSeconds: nullableOutput(
      number(),
      'How long responses are cached, in seconds; null if they are not.',
    ),
    payloadDays: nullableOutput(
      number(),
      'How many days request and response bodies are stored; null if they are not.',
    ),
    minOutputTokens: nullableOutput(
      number(),
      'The fewest output tokens to which a nearly spent budget may shorten a response; null for 256.',
    ),
    routing,
    continue: flag('', 'Whether another provider continues a stream that one has cut.'),
    cacheMarks: flag('', 'Whether prompt-cache marks are set in requests that have none.'),
    createdAt: time,
  },
  operations: {
    create: operation({
      summary: 'Create a project: a part of an organization with its own keys.',
      answer: 'The project.',
      kind: 'one',
      input: {
        organizationId: required(idOf('organization', 'its organization'), {
          flags: '--org <id>',
          help: 'the organization, as `orgs list` shows it',
        }),
        name: required(name, { flags: '<name>', help: 'its name' }),
      },
      example: { organization_id: 'org_…', name: 'web' },
      run: ({ directory, input }) => directory.createProject(input),
    }),
    list: operation({
      summary: "List an organization's projects, oldest first.",
      answer: 'A page of projects.',
      kind: 'page',
      input: {
        organizationId: filter(
          idOf('organization', 'an organization'),
          'The organization; required unless the admin key is bound to one.',
          { flags: '--org <id>', help: 'only projects of this organization' },
        ),
        search: filter(text(), 'Only projects whose name contains this text.', '--search <text>'),
      },
      requires: 'organizationId',
      run: ({ directory, input: { organizationId, search }, page }) => {
        const wanted = { ...page, ...(search !== undefined && { search }) };
        return organizationId === undefined
          ? listAll(directory, wanted)
          : directory.listProjects(organizationId, wanted);
      },
    }),
    get: operation({
      summary: 'Get a project.',
      answer: 'The project.',
      kind: 'one',
      input: {},
      run: ({ directory, id }) => directory.getProject(id),
    }),
    update: operation({
      summary:
        'Rename a project, or change its response cache and its routing, how far a nearly spent budget may shorten its responses, or whether cut streams are continued and prompt-cache marks set.',
      answer: 'The updated project.',
      kind: 'one',
      input: {
        name: optional(name, { flags: '<name>', help: 'its new name' }),
        cacheTtlSeconds: optional(
          nullableInput(
            count(TTL),
            `a whole number of seconds from ${span(TTL)}, or null to turn the cache off`,
          ),
          {
            flags: '--ttl <seconds>',
            help: 'how long responses are cached, or off',
            nullWord: 'off',
          },
        ),
        minOutputTokens: optional(
          nullableInput(
            count(TOKENS),
            `a whole number of output tokens from ${span(TOKENS)}, or null for 256`,
          ),
          {
            flags: '<tokens>',
            help: `a number of output tokens from ${span(TOKENS)}, or default (256)`,
            nullWord: 'default',
          },
        ),
        routing: optional(routing),
        continue: optional(flag('true if another provider continues a stream that one has cut, else false'), {
          flags: '<switch>',
          help: 'on or off',
        }),
        cacheMarks: optional(
          flag('true if prompt-cache marks are set in requests that have none, else false'),
          { flags: '<switch>', help: 'on or off' },
        ),
      },
      example: {
        name: 'website',
        cache_ttl_seconds: 3600,
        min_output_tokens: 1000,
        routing: { sort: 'latency' },
        continue: true,
        cache_marks: true,
      },
      run: ({ directory, id, input }) => directory.updateProject(id, input),
    }),
    keepPayloads: operation({
      summary: 'Set for how many days a project stores request and response bodies, or turn that off.',
      answer: 'The updated project.',
      kind: 'one',
      local: 'database',
      input: {
        payloadDays: required(
          nullableInput(count(DAYS), `a whole number of days from ${span(DAYS)}, or null to store none`),
          {
            flags: '--days <days>',
            help: `how long each is stored, ${span(DAYS)}, or off`,
            nullWord: 'off',
          },
        ),
      },
      example: { payload_days: 30 },
      run: ({ directory, id, input }) => directory.updateProject(id, input),
    }),
    deletePayloads: operation({
      summary: 'Delete all stored request and response bodies of a project now.',
      answer: 'How many were deleted.',
      kind: 'one',
      local: 'database',
      input: {},
      fields: { deletedPayloads: number() },
      run: async ({ directory, id, deletePayloads }) => {
        const project = await directory.getProject(id);
        return { ...project, deletedPayloads: await deletePayloads(id) };
      },
    }),
  },
  manifest: {
    within: ['organization'],
    list: 'projects',
    name: 'name',
    fields: {
      update: ['cacheTtlSeconds', 'minOutputTokens', 'routing', 'continue', 'cacheMarks'],
      keepPayloads: ['payloadDays'],
    },
  },
  commands: {
    group: 'projects',
    otherGroups: {
      cache: 'Manage the response cache.',
      payloads: 'Store request and response bodies of a project; off by default.',
    },
    summary: 'Create, list and rename projects, and change their settings.',
    target: { flags: '<id>', help: 'the project’s id, as listed' },
    empty: 'no projects',
    columns: {
      id: 'id',
      name: 'name',
      cache: ({ cacheTtlSeconds }) => (cacheTtlSeconds === undefined ? 'off' : `${cacheTtlSeconds} s`),
      payloads: ({ payloadDays }) => (payloadDays === undefined ? 'off' : formatCount(payloadDays, 'day')),
      organization: 'organizationName',
      'organization id': ({ organizationId }) => organizationId,
    },
    commands: [
      {
        name: 'create',
        operation: 'create',
        summary: 'Create a project with its own keys and its own response cache.',
        examples: ['projects create --org org_… web'],
        format: ({ id }) => [id],
      },
      {
        name: 'list',
        operation: 'list',
        summary: 'List projects with their organizations.',
        examples: ['projects list', 'projects list --org org_…'],
      },
      renameCommand({ group: 'projects', what: 'a project', sample: 'prj_… website' }),
      {
        name: 'min-output',
        operation: 'update',
        inputs: ['minOutputTokens'],
        summary: 'Set the least output to which a nearly spent budget may shorten responses.',
        examples: ['projects min-output prj_… 1000', 'projects min-output prj_… default'],
        format: ({ id, minOutputTokens: tokens = 256 }) => [
          `${id} refuses a request when its budget covers fewer than ${tokens} output tokens`,
        ],
      },
      routingCommand({ group: 'projects', what: 'a project', sample: 'prj_…' }),
      {
        name: 'continue',
        operation: 'update',
        inputs: ['continue'],
        summary: 'Let another provider continue streams that one has cut.',
        examples: ['projects continue prj_… on'],
        format: ({ id, continue: isOn }) => [
          isOn
            ? `${id}: another provider continues a stream that one has cut; both are paid`
            : `${id}: a stream that a provider cuts ends with an error`,
        ],
      },
      {
        name: 'cache-marks',
        operation: 'update',
        inputs: ['cacheMarks'],
        summary: 'Set prompt-cache marks in requests that have none, where that saves money.',
        examples: ['projects cache-marks prj_… on'],
        format: ({ id, cacheMarks: isOn }) => [
          isOn
            ? `${id}: what is sent twice within five minutes is marked for the prompt cache; see cache-misses`
            : `${id}: only clients set prompt-cache marks`,
        ],
      },
      {
        group: 'cache',
        name: 'set',
        operation: 'update',
        target: ofFirst,
        inputs: ['cacheTtlSeconds'],
        summary: 'Turn the response cache of a project on or off.',
        examples: ['cache set --ttl 60', 'cache set --project prj_… --ttl off'],
        format: ({ id, cacheTtlSeconds: ttl }) => [
          ttl === undefined ? `${id} caches no responses` : `${id} caches responses for ${ttl} s`,
        ],
      },
      {
        group: 'payloads',
        name: 'set',
        operation: 'keepPayloads',
        target: ofFirst,
        examples: ['payloads set --days 30', 'payloads set --project prj_… --days off'],
        format: ({ id, payloadDays: days }) => [
          days === undefined
            ? `${id} stores no new payloads; stored ones are kept until they expire (payloads delete removes them now)`
            : `${id} stores payloads for ${formatCount(days, 'day')}; show one with: logs --request <id> --payload`,
        ],
      },
      {
        group: 'payloads',
        name: 'delete',
        operation: 'deletePayloads',
        target: { flags: '--project <id>', help: 'the project' },
        examples: ['payloads delete --project prj_…'],
        format: ({ deletedPayloads: deleted }) => [`${deleted} payloads deleted`],
      },
    ],
  },
});

async function listAll(directory: Books, { after, limit, ...wanted }: Page): Promise<ListedProject[]> {
  const organizations = await directory.listOrganizations();
  const lists = await Promise.all(
    organizations.map(async ({ id, name: organizationName }) =>
      (await directory.listProjects(id, wanted)).map((project) => ({ ...project, organizationName })),
    ),
  );
  const all = lists.flat();
  const start = all.findIndex(({ id }) => id === after) + 1;
  return after !== undefined && start === 0 ? [] : all.slice(start, limit && start + limit);
}
