import {
  count,
  filter,
  flag,
  nullableInput,
  nullableOutput,
  number,
  optional,
  outputText,
  required,
  text,
  textList,
  time,
  usd,
} from '#fields';
import {
  limitInput,
  recurringFields,
  recurringLimitInput,
  sharedLimitInputs,
} from '../resource/spending-fields.ts';
import { inOrganization } from '../resource/organization-input.ts';
import { resourceOf } from '../resource/resource.ts';
import { idOf, name } from '../resource/types.ts';
import { projectCommands } from './project-commands.ts';
import { routing } from '../routing/routing-field.ts';
import type { NamePorts } from '../rules/note-unmatched-names.ts';
import { type Project, type ProjectStore, createProjectStore } from './projects.ts';

interface Ports extends NamePorts {
  directory: ProjectStore;
  /** Returns how many there were. */
  deletePayloads(projectId: string): Promise<number>;
}

const { define, operation } = resourceOf<Ports, Project & { deletedPayloads?: number }>();

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
  table: 'project',
  named: { by: 'name', option: 'project' },
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
    usage: usd,
    limit: nullableOutput(usd),
    ...recurringFields,
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
        ...sharedLimitInputs(),
      },
      example: { organization_id: 'org_…', name: 'web', limit: '1000' },
      run: ({ directory, input }) => directory.createProject(input),
    }),
    list: operation({
      summary: 'List projects, oldest first.',
      answer: 'A page of projects.',
      kind: 'page',
      input: {
        organizationId: inOrganization('Only projects of this organization.'),
        search: filter(text(), 'Only projects whose name contains this text.', '--search <text>'),
      },
      run: ({ directory, input, page }) => directory.listProjects({ ...input, ...page }),
    }),
    get: operation({
      summary: 'Get a project.',
      answer: 'The project.',
      kind: 'one',
      run: ({ directory, id }) => directory.getProject(id),
    }),
    update: operation({
      summary:
        'Rename a project, or change what all its keys may spend, in total and per period, its response cache and its routing, how far a nearly spent budget may shorten its responses, or whether cut streams are continued and prompt-cache marks set.',
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
        limit: limitInput,
        recurringLimit: recurringLimitInput,
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
    remove: operation({
      summary:
        'Remove a project permanently, with its keys and their session tokens. Usage, requests and the ledger stay.',
      answer: 'The project is removed.',
      kind: 'deleted',
      fields: { disabledKeyIds: textList('') },
      run: ({ directory, id }) => directory.removeProject(id),
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
      fields: { deletedPayloads: number() },
      run: async ({ directory, id, deletePayloads }) => {
        const project = await directory.getProjectOrRemoved(id);
        return { ...project, deletedPayloads: await deletePayloads(id) };
      },
    }),
  },
  manifest: {
    within: ['organization'],
    list: 'projects',
    name: 'name',
    fields: {
      update: [
        'limit',
        'recurringLimit',
        'cacheTtlSeconds',
        'minOutputTokens',
        'routing',
        'continue',
        'cacheMarks',
      ],
      keepPayloads: ['payloadDays'],
    },
  },
  commands: projectCommands,
});
