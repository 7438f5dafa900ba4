import { filter, needed, resourceOf } from '../resource/resource.ts';
import { idOf, shown, text, texts, time, word } from '../resource/types.ts';
import { type RuleBook, type RuleRecord, createRuleBook } from './rule-book.ts';
import { readRule } from './read-rule.ts';
import { LAYERS, RULE_TYPES } from './rule.ts';

const { define, operation } = resourceOf<{ directory: RuleBook }, RuleRecord>();

export const ruleResource = define({
  name: 'rule',
  path: 'rules',
  scope: 'accounts',
  owner: ({ directory }, id) => directory.getRule(id),
  book: createRuleBook,
  fields: {
    organizationId: shown(),
    layer: word(LAYERS),
    subjectId: shown('The organization, project or key it applies to.'),
    type: shown(`One of ${Object.keys(RULE_TYPES).join(', ')}.`),
    values: texts(''),
    createdAt: time,
  },
  operations: {
    create: operation({
      summary:
        'Add an access rule to an organization, a project or a key. Rules can only narrow what keys may use.',
      answer: 'The rule, which takes effect at once.',
      kind: 'one',
      input: {
        layer: needed(word(LAYERS)),
        subjectId: needed(idOf({ member: 'layer' }, 'the organization, project or key it applies to')),
        type: needed(word(Object.keys(RULE_TYPES))),
        values: needed(
          texts(
            'an array of names, networks, regions or one price, as the type requires; empty if it takes none',
          ),
        ),
      },
      example: { layer: 'key', subject_id: 'key_…', type: 'deny-models', values: ['gpt-*'] },
      run: ({ directory, input }) => directory.addRule(input),
    }),
    list: operation({
      summary: 'List access rules, oldest first.',
      answer: 'A page of rules.',
      kind: 'page',
      input: {
        organizationId: filter(
          idOf('organization', ''),
          'Only rules of this organization, its projects and keys.',
          { as: '--org <id>', help: 'only rules of this organization, its projects and keys' },
        ),
        subjectId: filter(text(), 'Only rules on this organization, project or key.', {
          as: '--key <id>',
          help: 'only rules on this key',
          or: [{ as: '--project <id>', help: 'only rules on this project' }],
        }),
      },
      run: ({ directory, input, page }) => directory.listRules({ ...input, ...page }),
    }),
    remove: operation({
      summary: 'Remove an access rule.',
      answer: 'The rule is removed.',
      kind: 'gone',
      input: {},
      run: ({ directory, id }) => directory.removeRule(id),
    }),
  },
  declares: {
    within: LAYERS,
    list: 'rules',
    fields: { create: ['type', 'values'] },
    check: (rule, layer) => ({
      ...rule,
      values: readRule({ ...rule, layer } as Parameters<typeof readRule>[0]),
    }),
  },
  commands: {
    group: 'rules',
    summary: 'Manage access rules: what keys may use.',
    naming: { as: '<id>', help: 'the rule’s id, as listed' },
    empty: 'no rules',
    columns: {
      id: 'id',
      layer: 'layer',
      on: 'subjectId',
      type: 'type',
      values: 'values',
      since: 'createdAt',
    },
    commands: [
      {
        name: 'list',
        does: 'list',
        summary: 'List access rules.',
        examples: ['rules list', 'rules list --key key_…'],
      },
      {
        name: 'remove',
        does: 'remove',
        examples: ['rules remove rule_…'],
        says: (rule) => [`removed: ${describeRule(rule)}`],
      },
    ],
  },
});

/** Such as `allow-models gpt-* on key key_…`. */
export function describeRule({ layer, subjectId, type, values }: RuleRecord): string {
  return `${[type, ...values].join(' ')} on ${layer} ${subjectId}`;
}
