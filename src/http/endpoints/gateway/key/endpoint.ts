import { Type } from 'typebox';
import { BUDGET_KINDS } from '#accounts';
import { defineEndpoint } from '../../../endpoint.ts';
import { sendJson } from '../../../send-json.ts';

const decimal = (description: string) => Type.String({ description, pattern: String.raw`^\d+(\.\d+)?$` });

/** Set if another gateway did not report in time what it has charged to the key. */
const USAGE_HEADER = 'x-gateway-usage';

const limitSchema = Type.Object({
  kind: Type.Enum([...BUDGET_KINDS]),
  limit: decimal('The limit in USD.'),
  usage: decimal('What is used of it.'),
  remaining: decimal('What is left of it, never negative.'),
  resetsAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'When a limit that renews does; null before its first request, and of others.',
  }),
});

const keyStatusSchema = Type.Object(
  {
    data: Type.Object({
      label: Type.String({ description: 'Description of the key.' }),
      usage: decimal('All-time usage of the key in USD.'),
      limit: Type.Union([decimal('All-time limit of the key in USD.'), Type.Null()]),
      remaining: Type.Union([
        decimal('What is left of `limit` in USD, never negative; null without a limit.'),
        Type.Null(),
      ]),
      limits: Type.Array(limitSchema, {
        description:
          'Every limit in USD that applies to the key: its own, those of its member, project and organization, credits and plan.',
      }),
      devPlan: Type.Union(['lite', 'pro', 'max', 'none'].map((plan) => Type.Literal(plan))),
      devPlanCreditsUsed: decimal('Plan credits used in the current billing cycle.'),
      devPlanCreditsLimit: decimal('Plan credits of the current billing cycle.'),
      devPlanCreditsRemaining: decimal('Plan credits left, never negative.'),
      devPlanPremiumWeeklyLimit: decimal('Weekly allowance for premium models.'),
      devPlanPremiumCreditsUsed: decimal('Premium credits used in the current weekly window.'),
      devPlanPremiumWeekResetsAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    }),
  },
  { title: 'KeyStatus' },
);

export const keyEndpoint = defineEndpoint({
  method: 'GET',
  path: '/v1/key',
  summary: 'Usage and limits of the calling key; works even when a limit is exceeded.',
  auth: 'regular',
  format: 'chat',
  responses: {
    200: {
      description:
        'The status of the key, including every request that has ended. With the header `x-gateway-usage: incomplete`, requests of another gateway may be missing, because it did not respond within a second.',
      schema: keyStatusSchema,
    },
  },
  refusals: [401, 403, 500, 503],
  needs: ['accounts'],
  handle: async (call, { accounts }) => {
    const { isCurrent, limits, ...figures } = await accounts.findKeyStatus(call.caller);
    const headers = {
      'cache-control': 'private, no-store',
      ...(!isCurrent && { [USAGE_HEADER]: 'incomplete' }),
    };
    sendJson(call.reply, { data: { ...figures, limits: limits.map((limit) => ({ ...limit })) } }, headers);
  },
});
