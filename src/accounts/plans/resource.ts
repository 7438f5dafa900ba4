import { type PicoUsd, formatTime, formatUsd } from '#base';
import { orNull, whereKnown } from '../resource/field-type.ts';
import { maybe, needed, resourceOf } from '../resource/resource.ts';
import { flag, shown, time, usd, word } from '../resource/types.ts';
import { type PlanBook, createPlanBook } from './plan-book.ts';
import type { PlanStatus } from './plan-status.ts';
import { PLAN_TIERS, type PlanCatalogue, type PlanTier } from './plan-terms.ts';

interface Ports {
  directory: PlanBook & { getOrganization(id: string): Promise<unknown> };
  plans(): PlanCatalogue | Promise<PlanCatalogue>;
}

/** The plan of an organization, or that it has none. */
type Plan = { organizationId: string; plan: PlanTier | 'none' } & Partial<
  Omit<PlanStatus, 'plan'> & { premiumUsed: PicoUsd; premiumWeekResetsAt: number | null }
>;

const { define, operation } = resourceOf<Ports, Plan>();

/** What a plan costs and contains. */
const TERMS = {
  price: whereKnown(usd),
  creditsLimit: whereKnown(usd),
  premiumWeeklyLimit: whereKnown(usd),
};

export const planResource = define({
  name: 'plan',
  path: 'organizations/{id}/plan',
  scope: 'money',
  owner: 'id',
  book: createPlanBook,
  fields: {
    organizationId: shown(),
    plan: word([...PLAN_TIERS, 'none']),
    price: whereKnown(usd),
    creditsUsed: whereKnown(usd),
    creditsLimit: whereKnown(usd),
    premiumUsed: whereKnown(usd),
    premiumWeeklyLimit: whereKnown(usd),
    premiumWeekResetsAt: whereKnown(orNull(time)),
    overflow: whereKnown(flag('', 'Whether credits pay for usage beyond the plan.')),
    startedAt: whereKnown(time),
    cycleStartsAt: whereKnown(time),
    cycleEndsAt: whereKnown(time),
  },
  operations: {
    get: operation({
      summary: 'Get the plan of an organization and its usage.',
      answer: 'The plan; `none` if the organization has none.',
      kind: 'one',
      input: {},
      run: async ({ directory, id }) => {
        await directory.getOrganization(id);
        return toPlan(id, await directory.findPlan(id));
      },
    }),
    list: operation({
      summary: 'List the plans on offer: the defaults, with the changes of sluice.yaml.',
      answer: 'The plans.',
      kind: 'list',
      local: 'configuration',
      input: {},
      fields: { plan: word(PLAN_TIERS), ...TERMS },
      run: async ({ plans }) => listOffers(await plans()),
    }),
    update: operation({
      summary:
        'Subscribe an organization to a plan at current terms, change its plan, or end it with `none`. Usage in the billing cycle is kept.',
      answer: 'The updated plan.',
      kind: 'one',
      input: {
        plan: needed(word([...PLAN_TIERS, 'none']), { as: '--plan <tier>', help: 'the plan' }),
        overflow: maybe(flag('true if credits pay for usage beyond the plan, else false'), {
          as: '--overflow',
          help: 'credits pay for usage beyond the plan',
          shortcuts: { '--no-overflow': { value: false, help: 'usage beyond the plan is refused' } },
        }),
      },
      example: { plan: 'pro', overflow: true },
      run: async ({ directory, id, input: { plan, ...options }, plans }) => {
        if (plan !== 'none') {
          const terms = (await plans())[plan];
          return toPlan(id, await directory.setPlan({ organizationId: id, plan, terms, ...options }));
        }
        await directory.endPlan(id);
        return toPlan(id, undefined);
      },
    }),
  },
  declares: {
    within: ['organization'],
    fields: { update: ['plan', 'overflow'] },
    listUnused: ({ plan }) => (plan === 'none' ? ['overflow'] : []),
    describe: ({ plan, overflow }) => `${String(plan)}${overflow === true ? ' with overflow' : ''}`,
  },
  commands: {
    group: 'plans',
    summary: 'Subscribe organizations to plans.',
    naming: { as: '--org <id>', help: 'the organization, as `orgs list` shows it' },
    empty: '',
    columns: {},
    commands: [
      {
        name: 'set',
        does: 'update',
        summary:
          'Subscribe an organization to a plan at current terms, change its plan, or end it. Usage in the billing cycle is kept.',
        examples: ['plans set --org org_… --plan pro', 'plans set --org org_… --plan max --overflow'],
        says: describePlan,
      },
      {
        name: 'show',
        does: 'get',
        summary: 'Show the plan of an organization and its usage.',
        examples: ['plans show --org org_…'],
        says: describePlan,
      },
      {
        name: 'list',
        does: 'list',
        examples: ['plans list'],
        columns: {
          plan: 'plan',
          'usd a month': 'price',
          'credits a cycle': 'creditsLimit',
          'premium a week': 'premiumWeeklyLimit',
        },
      },
    ],
  },
});

function listOffers(plans: PlanCatalogue) {
  return PLAN_TIERS.map((plan) => {
    const { price, credits, premiumWeekly } = plans[plan];
    return { plan, price, creditsLimit: credits, premiumWeeklyLimit: premiumWeekly };
  });
}

function toPlan(organizationId: string, status: PlanStatus | undefined): Plan {
  if (!status) return { organizationId, plan: 'none' };
  const { premiumWeek } = status;
  return {
    ...status,
    organizationId,
    premiumUsed: premiumWeek?.used ?? 0n,
    premiumWeekResetsAt: premiumWeek?.resetsAt ?? null,
  };
}

function describePlan(status: Plan): string[] {
  const { organizationId, plan, premiumWeekResetsAt: resetsAt } = status;
  if (plan === 'none') return [`${organizationId} has no plan`];
  const amount = (value: PicoUsd = 0n): string => formatUsd(value);
  return [
    `${organizationId} is on plan ${plan} at ${amount(status.price)} USD a month, since ${formatTime(status.startedAt)}`,
    `credits: ${amount(status.creditsUsed)} of ${amount(status.creditsLimit)} USD used, renewed at ${formatTime(status.cycleEndsAt)}`,
    `premium models: ${amount(status.premiumUsed)} of ${amount(status.premiumWeeklyLimit)} USD used, ${
      resetsAt === null ? 'no week is running' : `reset after ${formatTime(resetsAt)}`
    }`,
    `what the plan does not cover is ${status.overflow === true ? 'paid from credits' : 'refused'}`,
  ];
}
