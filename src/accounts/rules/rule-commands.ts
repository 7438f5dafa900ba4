import type { ResourceCommands } from '../resource/resource.ts';
import { type NamePorts, noteUnmatchedNames } from './note-unmatched-names.ts';
import type { RuleRecord } from './rule-store.ts';
import { RULE_TYPES } from './rule.ts';

/** `sluice rules …` */
export const ruleCommands: ResourceCommands<NamePorts, RuleRecord, keyof RuleRecord> = {
  group: 'rules',
  summary: 'Manage access rules: what keys may use.',
  target: { flags: '<id>', help: 'the rule’s id, as listed' },
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
      name: 'add',
      operation: 'create',
      summary: 'Add an access rule. It takes effect at once and can only narrow what keys may use.',
      examples: [
        'rules add --key key_… allow-models claude-sonnet-5-5 "gpt-5*"',
        'rules add --project prj_… max-output-price 15',
        'rules add --org org_… no-training',
      ],
      notes: describeTypes(),
      format: (rule) => [`${rule.id}: ${describeRule(rule)}`],
      remarks: (rule, ports) => noteUnmatchedNames(ports, [rule]),
    },
    {
      name: 'list',
      operation: 'list',
      summary: 'List access rules.',
      examples: ['rules list', 'rules list --key key_…'],
    },
    {
      name: 'remove',
      operation: 'remove',
      examples: ['rules remove rule_…'],
      format: (rule) => [`removed: ${describeRule(rule)}`],
    },
  ],
};

/** Such as `allow-models gpt-* on key key_…`. */
function describeRule({ layer, subjectId, type, values }: RuleRecord): string {
  return `${[type, ...values].join(' ')} on ${layer} ${subjectId}`;
}

/** The types with their meanings, and an example of each. */
function describeTypes(): string[] {
  const types = Object.entries(RULE_TYPES);
  const lines = (isCompliance: boolean): string[] =>
    types
      .filter(([, entry]) => entry.isCompliance === isCompliance)
      .flatMap(([type, { meaning, example }]) => [
        `  ${type.padEnd(20)}${meaning}`,
        `${' '.repeat(22)}$ npx sluice rules add ${isCompliance ? '--org org_…' : '--key key_…'} ${[type, ...example.map(quote)].join(' ')}`,
      ]);
  return [
    'Types:',
    ...lines(false),
    '',
    'Compliance policy, for organizations only. A provider whose properties are',
    'unknown is excluded:',
    ...lines(true),
    '',
    'The values of all rules of one type on one organization, project or key are',
    'combined; of prices, the lowest applies. Every type and every layer must allow',
    'a request. Model names may be aliases or provider/model; * matches any',
    'characters.',
  ];
}

function quote(value: string): string {
  return value.includes('*') ? `"${value}"` : value;
}
