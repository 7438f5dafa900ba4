import { countOf } from '../../parts/format.ts';
import { fieldsOf } from './field.ts';
import { spendLimitFields } from './spend-limit-fields.ts';

/** What can be changed of a project, apart from its routing. */
export const PROJECT_FIELDS = fieldsOf(
  '/admin/v1/projects/{id}',
  { name: 'name', label: 'Project name' },
  ...spendLimitFields('the project'),
  {
    name: 'cache_ttl_seconds',
    label: 'Response cache',
    noun: 'second',
    none: 'off',
    help: 'How many seconds responses are cached; empty to turn the cache off',
    effect: (value) =>
      value === ''
        ? 'Every request goes to a provider.'
        : 'A byte-identical request of any key of the project gets the cached response at no cost.',
  },
  {
    name: 'min_output_tokens',
    label: 'Min output tokens',
    noun: 'token',
    none: '256 tokens',
    help: 'The fewest output tokens to which a nearly spent budget may shorten a response',
    effect: (value) =>
      `A request is refused if its budget covers fewer than ${countOf(Number(value || 256), 'output token')}.`,
  },
  {
    name: 'continue',
    label: 'Continue cut streams',
    effect: (value) =>
      value === 'true'
        ? 'If a provider cuts a stream, another one continues it; both are paid.'
        : 'A stream that a provider cuts ends with an error.',
  },
  {
    name: 'cache_marks',
    label: 'Prompt-cache marks',
    effect: (value) =>
      value === 'true'
        ? 'What is sent twice within five minutes is marked for the cache of the provider.'
        : 'Only clients set prompt-cache marks.',
  },
);

export const NEW_PROJECT_FIELDS = fieldsOf(
  '/admin/v1/projects',
  {
    name: 'name',
    label: 'Project name',
    effect: () => 'It has keys, a response cache and rules of its own.',
  },
  ...spendLimitFields('the project'),
);
