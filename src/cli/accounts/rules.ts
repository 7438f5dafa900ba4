import type { Layer, RuleRecord } from '#app';
import type { Command } from 'commander';
import { RULE_TYPES, describeRule, findUnmatchedNames, perform, ruleResource } from '#app';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { print, remark } from '../terminal/output.ts';
import { withStores } from '../terminal/with-stores.ts';

interface SubjectOptions extends CommonOptions {
  org?: string;
  project?: string;
  key?: string;
}

export function createRuleAddCommand(): Command {
  return defineCommand({
    name: 'add',
    summary: 'Add an access rule; it is in force at once and can only narrow what keys may use.',
    examples: [
      'rules add --key key_… allow-models claude-sonnet-4-5 "gpt-5*"',
      'rules add --project prj_… max-output-price 15',
      'rules add --org org_… no-training',
    ],
  })
    .option('--key <id>', 'the rule is on this key')
    .option('--project <id>', 'the rule is on this project')
    .option('--org <id>', 'the rule is on this organization')
    .argument('<type>', 'one of the types below')
    .argument('[values...]', 'names, networks, regions or a price, as the type needs them')
    .addHelpText('after', () => `\n${describeTypes().join('\n')}`)
    .action(async (type: string, values: string[], options: SubjectOptions) => {
      const subject = getSubject(options);
      const input = { ...subject, type, values: values.flatMap((value) => value.split(',')) };
      const { result, json } = await withStores(options, ({ accounts: { directory } }) =>
        perform(ruleResource, 'create', { directory, id: '', input, page: {} }),
      );
      const record = result as RuleRecord;
      print(options, json, () => [`${record.id}: ${describeRule(record)}`]);
      // The rule is kept either way, and a broken configuration is the business of other commands.
      const unmatched = await findUnmatchedNames(toOrigin(options), record).catch(() => []);
      for (const name of unmatched) remark(`note: nothing in this configuration is named ${name}`);
    });
}

function getSubject({ org, project, key }: SubjectOptions): { layer: Layer; subjectId: string } {
  const named: [Layer, string | undefined][] = [
    ['organization', org],
    ['project', project],
    ['key', key],
  ];
  const given = named.filter((entry): entry is [Layer, string] => entry[1] !== undefined);
  const [first] = given;
  if (!first || given.length > 1) throw new Error('name one of --org, --project and --key');
  return { layer: first[0], subjectId: first[1] };
}

/** The types with their meanings, and a command line of each. */
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
    'Compliance policy, on organizations only; what is not known of a provider',
    'counts against it:',
    ...lines(true),
    '',
    'Values of one type on one organization, project or key are one set (of prices',
    'the lowest holds); types and layers are all asked, and any no is a no. Model',
    'names may be aliases or provider/model; * stands for any characters.',
  ];
}

function quote(value: string): string {
  return value.includes('*') ? `"${value}"` : value;
}
