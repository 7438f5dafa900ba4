import type { Command } from 'commander';
import { Option } from 'commander';
import type { PlanStatus, Stores } from '#app';
import { PLAN_TIERS, loadSettings } from '#app';
import { formatUsd } from '#base';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { formatTable, formatTime } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

export function createPlansCommand(): Command {
  return defineGroup('plans', 'Subscribe organizations to plans.', [createSet(), createShow(), createList()]);
}

interface SetOptions extends CommonOptions {
  org: string;
  plan: (typeof PLAN_TIERS)[number] | 'none';
  overflow?: boolean;
}

function createSet(): Command {
  return defineCommand({
    name: 'set',
    summary:
      'Subscribe an organization to a plan at its present terms, change its plan, or end it. What was used in the billing cycle stays used.',
    examples: ['plans set --org org_… --plan pro', 'plans set --org org_… --plan max --overflow'],
  })
    .requiredOption('--org <id>', 'the organization, as `orgs list` shows it')
    .addOption(new Option('--plan <tier>', 'the plan').choices([...PLAN_TIERS, 'none']).makeOptionMandatory())
    .option('--overflow', 'credits pay for what the plan does not cover')
    .option('--no-overflow', 'they do not')
    .action(async (options: SetOptions) => {
      const { org: organizationId, plan, overflow } = options;
      const { plans } = await loadSettings(toOrigin(options));
      const status = await withStores(options, async ({ accounts: { directory } }) => {
        if (plan === 'none') {
          await directory.endPlan(organizationId);
          return undefined;
        }
        const terms = plans[plan];
        return directory.setPlan({
          organizationId,
          plan,
          terms,
          ...(overflow !== undefined && { overflow }),
        });
      });
      printStatus(options, organizationId, status);
    });
}

interface ShowOptions extends CommonOptions {
  org: string;
}

function createShow(): Command {
  return defineCommand({
    name: 'show',
    summary: 'Show the plan of an organization and how much of it is used.',
    examples: ['plans show --org org_…'],
  })
    .requiredOption('--org <id>', 'the organization, as `orgs list` shows it')
    .action(async (options: ShowOptions) => {
      const { org } = options;
      printStatus(options, org, await withStores(options, (stores) => findPlan(stores, org)));
    });
}

async function findPlan(
  { accounts: { directory } }: Stores,
  organizationId: string,
): Promise<PlanStatus | undefined> {
  const status = await directory.findPlan(organizationId);
  if (status) return status;
  await directory.getOrganization(organizationId);
  return undefined;
}

function createList(): Command {
  return defineCommand({
    name: 'list',
    summary: 'List the plans on offer: the defaults, with what sluice.yaml says instead.',
    examples: ['plans list'],
  }).action(async (options: CommonOptions) => {
    const { plans } = await loadSettings(toOrigin(options));
    const data = PLAN_TIERS.map((plan) => ({
      plan,
      price: formatUsd(plans[plan].price),
      credits: formatUsd(plans[plan].credits),
      premiumWeekly: formatUsd(plans[plan].premiumWeekly),
    }));
    print(options, { data }, () =>
      formatTable(
        ['plan', 'usd a month', 'credits a cycle', 'premium a week'],
        data.map(({ plan, price, credits, premiumWeekly }) => [plan, price, credits, premiumWeekly]),
      ),
    );
  });
}

function printStatus(options: CommonOptions, organizationId: string, status: PlanStatus | undefined): void {
  if (!status) {
    print(options, { organizationId, plan: 'none' }, () => [`${organizationId} has no plan`]);
    return;
  }
  const json = toJsonPlan(organizationId, status);
  print(options, json, () => [
    `${organizationId} is on plan ${json.plan} at ${json.price} USD a month, since ${formatTime(status.startedAt)}`,
    `credits: ${json.creditsUsed} of ${json.creditsLimit} USD used, renewed at ${formatTime(status.cycleEndsAt)}`,
    `premium models: ${json.premiumUsed} of ${json.premiumWeeklyLimit} USD used, ${
      status.premiumWeek ? `reset after ${formatTime(status.premiumWeek.resetsAt)}` : 'no week is running'
    }`,
    `what the plan does not cover is ${json.overflow ? 'paid from credits' : 'refused'}`,
  ]);
}

function toJsonPlan(organizationId: string, status: PlanStatus) {
  const { premiumWeek } = status;
  return {
    organizationId,
    plan: status.plan,
    price: formatUsd(status.price),
    creditsUsed: formatUsd(status.creditsUsed),
    creditsLimit: formatUsd(status.creditsLimit),
    premiumWeeklyLimit: formatUsd(status.premiumWeeklyLimit),
    premiumUsed: formatUsd(premiumWeek?.used ?? 0n),
    premiumWeekResetsAt: premiumWeek ? new Date(premiumWeek.resetsAt).toISOString() : null,
    overflow: status.overflow,
    startedAt: new Date(status.startedAt).toISOString(),
    cycleStartsAt: new Date(status.cycleStartsAt).toISOString(),
    cycleEndsAt: new Date(status.cycleEndsAt).toISOString(),
  };
}
