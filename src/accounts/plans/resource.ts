import {
  choice,
  flag,
  nullableOutput,
  optional,
  optionalOutput,
  outputText,
  required,
  time,
  usd,
} from '#fields';
import { type PicoUsd, formatTime, formatUsd } from '#base';
import { resourceOf } from '../resource/resource.ts';
import { type PlanStore, createPlanStore } from './plan-store.ts';
import type { PlanStatus } from './plan-status.ts';
import { PLAN_TIERS, type PlanCatalogue, type PlanTier } from './plan-terms.ts';

interface Ports {
  directory: PlanStore & { getOrganization(id: string): Promise<unknown> };
  plans(): PlanCatalogue | Promise<PlanCatalogue>;
}

/** The plan of an organization, or that it has none. */
type Plan = { organizationId: string; plan: PlanTier | 'none' } & Partial<
  Omit<PlanStatus, 'plan'> & { premiumUsed: PicoUsd; premiumWeekResetsAt: number | null }
>;

const { define, operation } = resourceOf<Ports, Plan>();

/** What a plan costs and contains. */
const TERMS = {
  price: optionalOutput(usd),
  creditsLimit: optionalOutput(usd),
  premiumWeeklyLimit: optionalOutput(usd),
};

export const planResource = define({
  name: 'plan',
  path: 'organizations/{id}/plan',
  scope: 'money',
  owner: 'id',
  store: createPlanStore,
  fields: {
    organizationId: outputText(),
    plan: choice([...PLAN_TIERS, 'none']),
    price: optionalOutput(usd),
    creditsUsed: optionalOutput(usd),
    creditsLimit: optionalOutput(usd),
    premiumUsed: optionalOutput(usd),
    premiumWeeklyLimit: optionalOutput(usd),
    premiumWeekResetsAt: optionalOutput(nullableOutput(time)),
    overflow: optionalOutput(flag('', 'Whether credits pay for usage beyond the plan.')),
    startedAt: optionalOutput(time),
    cycleStartsAt: optionalOutput(time),
    cycleEndsAt: optionalOutput(time),
  },
  operations: {
    get: operation({
      summary: 'Get the plan of an organization and its usage.',
      answer: 'The plan; `none` if the organization has none.',
      kind: 'one',
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
      fields: { plan: choice(PLAN_TIERS), ...TERMS },
      run: async ({ plans }) => listOffers(await plans()),
    }),
    update: operation({
      summary:
        'Subscribe an organization to a plan at current terms, change its plan, or end it with `none`. Usage in the billing cycle is kept.',
      answer: 'The updated plan.',
      kind: 'one',
      input: {
        plan: required(choice([...PLAN_TIERS, 'none']), { flags: '--plan <tier>', help: 'the plan' }),
        overflow: optional(flag('true if credits pay for usage beyond the plan, else false'), {
          flags: '--overflow',
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
  manifest: {
    within: ['organization'],
    fields: { update: ['plan', 'overflow'] },
    listUnused: ({ plan }) => (plan === 'none' ? ['overflow'] : []),
    describe: ({ plan, overflow }) => `${String(plan)}${overflow === true ? ' with overflow' : ''}`,
  },
  commands: {
    group: 'plans',
    summary: 'Subscribe organizations to plans.',
    target: { flags: '--org <id>', help: 'the organization, as `orgs list` shows it' },
    empty: '',
    columns: {},
    commands: [
      {
        name: 'set',
        operation: 'update',
        summary:
          'Subscribe an organization to a plan at current terms, change its plan, or end it. Usage in the billing cycle is kept.',
        examples: ['plans set --org org_… --plan pro', 'plans set --org org_… --plan max --overflow'],
        format: describePlan,
      },
      {
        name: 'show',
        operation: 'get',
        summary: 'Show the plan of an organization and its usage.',
        examples: ['plans show --org org_…'],
        format: describePlan,
      },
      {
        name: 'list',
        operation: 'list',
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
      resetsAt === null ? 'no premium week has started' : `reset after ${formatTime(resetsAt)}`
    }`,
    `usage beyond the plan is ${status.overflow === true ? 'paid from credits' : 'refused'}`,
  ];
}
