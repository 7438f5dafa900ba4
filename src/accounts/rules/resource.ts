import { choice, filter, outputText, required, text, textList, time } from '#fields';
import type { ByokTerms } from '../byok/byok.ts';
import { inOrganization } from '../resource/organization-input.ts';
import { resourceOf } from '../resource/resource.ts';
import { idOf } from '../resource/types.ts';
import { type RuleStore, type RuleRecord, createRuleStore } from './rule-store.ts';
import { readRule } from './read-rule.ts';
import { ruleCommands } from './rule-commands.ts';
import { LAYERS, RULE_TYPES } from './rule.ts';

interface Ports {
  directory: RuleStore;
  byokTerms(): ByokTerms | Promise<ByokTerms>;
}

const { define, operation } = resourceOf<Ports, RuleRecord>();

export const ruleResource = define({
  name: 'rule',
  path: 'rules',
  scope: 'accounts',
  owner: ({ directory }, id) => directory.getRule(id),
  store: createRuleStore,
  fields: {
    organizationId: outputText(),
    layer: choice(LAYERS),
    subjectId: outputText('The organization, project or key it applies to.'),
    type: outputText(`One of ${Object.keys(RULE_TYPES).join(', ')}.`),
    values: textList(''),
    createdAt: time,
  },
  operations: {
    create: operation({
      summary:
        'Add an access rule to an organization, a project or a key. Rules can only narrow what keys may use.',
      answer: 'The rule, which takes effect at once.',
      kind: 'one',
      input: {
        layer: required(choice(LAYERS)),
        subjectId: required(idOf({ member: 'layer' }, 'the organization, project or key it applies to'), {
          flags: '--org <id>',
          help: 'the rule is on this organization',
          implies: { layer: 'organization' },
          alternatives: [
            { flags: '--project <id>', help: 'the rule is on this project', implies: { layer: 'project' } },
            { flags: '--key <id>', help: 'the rule is on this key', implies: { layer: 'key' } },
          ],
        }),
        type: required(choice(Object.keys(RULE_TYPES)), {
          flags: '<type>',
          help: 'what it allows or denies, as described below',
        }),
        values: required(
          textList(
            'an array of names, networks, regions or one price, as the type requires; empty if it takes none',
          ),
          { flags: '[values...]', help: 'names, networks, regions or a price, as the type requires' },
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
        organizationId: inOrganization('Only rules of this organization, its projects and keys.'),
        subjectId: filter(text(), 'Only rules on this organization, project or key.', {
          flags: '--key <id>',
          help: 'only rules on this key',
          alternatives: [{ flags: '--project <id>', help: 'only rules on this project' }],
        }),
      },
      run: ({ directory, input, page }) => directory.listRules({ ...input, ...page }),
    }),
    remove: operation({
      summary: 'Remove an access rule.',
      answer: 'The rule is removed.',
      kind: 'deleted',
      run: ({ directory, id }) => directory.removeRule(id),
    }),
  },
  manifest: {
    within: LAYERS,
    list: 'rules',
    fields: { create: ['type', 'values'] },
    check: (rule, layer) => ({
      ...rule,
      values: readRule({ ...rule, layer } as Parameters<typeof readRule>[0]),
    }),
  },
  commands: ruleCommands,
});
