import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { encodePlan, planShape } from '../../../admin/plan-shape.ts';

export const getPlanEndpoint = defineAdminEndpoint({
  method: 'GET',
  path: '/admin/v1/organizations/{id}/plan',
  summary: 'The plan of an organization and how much of it is used.',
  task: 'money:read',
  answer: { description: 'The plan; `none` where there is none.', schema: planShape },
  handle: async ({ directory, id }) => {
    await directory.getOrganization(id);
    return encodePlan(id, await directory.findPlan(id));
  },
});
