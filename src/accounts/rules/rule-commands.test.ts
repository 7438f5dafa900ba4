import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RULE_TYPES } from './rule.ts';
import { ruleCommands } from './rule-commands.ts';

test('the help of `rules add` has every type once, those of compliance apart and for organizations', () => {
  const help = ruleCommands.commands.find(({ name }) => name === 'add')?.notes?.join('\n') ?? '';
  const [plain = '', compliance = ''] = help.split('Compliance policy');
  for (const [type, { isCompliance }] of Object.entries(RULE_TYPES)) {
    const example = new RegExp(`rules add (--\\S+) \\S+ ${type}(?: |$)`, 'm');
    const [apart, others] = isCompliance ? [compliance, plain] : [plain, compliance];
    assert.equal(example.exec(apart)?.[1], isCompliance ? '--org' : '--key', type);
    assert.doesNotMatch(others, example);
  }
});
