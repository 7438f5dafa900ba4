import { Type } from 'typebox';
import { PLAN_TIERS } from '#accounts';
import { defineAdminEndpoint } from '../../../admin/admin-endpoint.ts';
import { closed, wordField } from '../../../admin/fields.ts';
import { encodePlan, planShape } from '../../../admin/plan-shape.ts';

export const setPlanEndpoint = defineAdminEndpoint({
  method: 'POST',
  path: '/admin/v1/organizations/{id}/plan',
  summary:
    'Subscribe an organization to a plan at its present terms, change its plan, or end it with `none`. What was used in the billing cycle stays used.',
  task: 'money:write',
  body: closed({
    plan: wordField([...PLAN_TIERS, 'none'] as const),
    overflow: Type.Optional(
      Type.Boolean({ description: 'true where credits pay for what the plan does not cover, else false' }),
    ),
  }),
  answer: { description: 'The plan as it is now.', schema: planShape },
  needs: ['plans'],
  handle: async ({ directory, id, body: { plan, overflow } }, { plans }) => {
    if (plan === 'none') {
      await directory.endPlan(id);
      return encodePlan(id, undefined);
    }
    const wish = { organizationId: id, plan, terms: plans()[plan] };
    return encodePlan(id, await directory.setPlan({ ...wish, ...(overflow !== undefined && { overflow }) }));
  },
});
