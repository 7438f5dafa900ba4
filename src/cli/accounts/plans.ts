import type { Command } from 'commander';
import { PLAN_TIERS, loadSettings } from '#app';
import { formatUsd } from '#base';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';

export function createPlanListCommand(): Command {
  return defineCommand({
    name: 'list',
    summary: 'List the plans on offer: the defaults, with what sluice.yaml says instead.',
    examples: ['plans list'],
  }).action(async (options: CommonOptions) => {
    const { plans } = await loadSettings(toOrigin(options));
    const data = PLAN_TIERS.map((plan) => ({
      object: 'plan',
      plan,
      price: formatUsd(plans[plan].price),
      credits_limit: formatUsd(plans[plan].credits),
      premium_weekly_limit: formatUsd(plans[plan].premiumWeekly),
    }));
    print(options, { object: 'list', data }, () =>
      formatTable(
        ['plan', 'usd a month', 'credits a cycle', 'premium a week'],
        data.map((each) => [each.plan, each.price, each.credits_limit, each.premium_weekly_limit]),
      ),
    );
  });
}
