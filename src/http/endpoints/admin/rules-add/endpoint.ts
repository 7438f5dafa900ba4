import { LAYERS, RULE_TYPES } from '#accounts';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { closed, idField, stringsField, wordField } from '../../../admin/fields.ts';
import { encodeRule, ruleShape } from '../../../admin/rule-shape.ts';

export const addRuleEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/rules',
  summary: 'Add an access rule to an organization, a project or a key; it can only narrow what keys may use.',
  task: 'accounts:write',
  body: closed({
    layer: wordField(LAYERS),
    subject_id: idField('the organization, project or key it is on'),
    type: wordField(Object.keys(RULE_TYPES)),
    values: stringsField(
      'an array of names, networks, regions or one price, as the type needs; empty where it takes none',
    ),
  }),
  answer: { description: 'The rule, in force.', schema: ruleShape },
  canMiss: true,
  handle: async ({ directory, body: { layer, subject_id: subjectId, type, values } }) =>
    encodeRule(await directory.addRule({ layer, subjectId, type, values })),
});
