import { formatCount } from '#base';
import { formatLimits } from '../resource/describe.ts';
import { renameCommand } from '../resource/rename-command.ts';
import type { CommandTarget, ResourceCommands } from '../resource/resource.ts';
import { spendingCommands } from '../resource/spending-commands.ts';
import { routingCommand } from '../routing/routing-command.ts';
import type { NamePorts } from '../rules/note-unmatched-names.ts';
import type { Project } from './projects.ts';

const ofFirst: CommandTarget = {
  flags: '--project <id>',
  help: 'the project (default: the first of the first organization)',
  defaultsTo: 'project',
};

/** `sluice projects …`, `sluice cache …` and `sluice payloads …` */
export const projectCommands: ResourceCommands<
  NamePorts,
  Project & { deletedPayloads?: number },
  keyof Project
> = {
  group: 'projects',
  otherGroups: {
    cache: 'Manage the response cache.',
    payloads: 'Store request and response bodies of a project; off by default.',
  },
  summary: 'Create, list, rename and remove projects, and change their settings.',
  target: { flags: '<id>', help: 'the project’s id, as listed' },
  empty: 'no projects',
  columns: {
    id: 'id',
    name: 'name',
    'used usd': 'usage',
    'limit usd': formatLimits,
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
      examples: [
        'projects create --org org_… web',
        'projects create --org org_… web --limit 1000 --recurring 100/day',
      ],
      format: ({ id }) => [id],
    },
    {
      name: 'list',
      operation: 'list',
      summary: 'List projects with their organizations.',
      examples: ['projects list', 'projects list --org org_…'],
    },
    renameCommand({ group: 'projects', what: 'a project', sample: 'prj_… website' }),
    ...spendingCommands({ group: 'projects', what: 'all keys of a project together', sample: 'prj_…' }),
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
          ? `${id}: prompts sent twice within five minutes are marked for the prompt cache; see cache-misses`
          : `${id}: only clients set prompt-cache marks`,
      ],
    },
    {
      name: 'remove',
      operation: 'remove',
      summary:
        'Remove a project permanently. Its keys and their session tokens become invalid at once; their usage stays in reports.',
      examples: ['projects remove prj_…'],
      format: ({ id, disabledKeyIds }) => [
        `${id} is removed`,
        ...disabledKeyIds.map((keyId) => `${keyId} is deleted`),
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
      target: { flags: '--project <id>', help: 'the project; a removed one by its id' },
      examples: ['payloads delete --project prj_…'],
      format: ({ deletedPayloads: deleted }) => [`${deleted} payloads deleted`],
    },
  ],
};
