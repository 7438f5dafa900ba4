import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { PAGE_QUERY, createListSchema, encodeList, readPage } from '../../../admin/list.ts';
import { encodeRule, ruleShape } from '../../../admin/rule-shape.ts';

export const listRulesEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/rules',
  summary: 'List access rules, oldest first.',
  task: 'accounts:read',
  query: {
    organization_id: 'Only rules of this organization, its projects and keys.',
    subject_id: 'Only rules on this organization, project or key.',
    ...PAGE_QUERY,
  },
  answer: { description: 'A page of rules.', schema: createListSchema(ruleShape) },
  handle: async ({ directory, query }) => {
    const page = readPage(query);
    const { organization_id: organizationId, subject_id: subjectId } = query;
    const rules = await directory.listRules({
      ...(organizationId !== undefined && { organizationId }),
      ...(subjectId !== undefined && { subjectId }),
      ...page,
    });
    return encodeList(page, rules.map(encodeRule));
  },
});
