import { choice, filter, nullableOutput, outputText, time, usd } from '#fields';
import { formatTime } from '#base';
import { inOrganization } from '../resource/organization-input.ts';
import { resourceOf } from '../resource/resource.ts';
import { idOf } from '../resource/types.ts';
import { type Budget, type BudgetStore, createBudgetStore } from './budget-store.ts';
import { BUDGET_KINDS } from './select-budgets.ts';

const { define, operation } = resourceOf<{ directory: BudgetStore }, Budget>();

export const budgetResource = define({
  name: 'budget',
  path: 'budgets',
  scope: 'accounts',
  memberOf: ({ memberId }) => memberId,
  store: createBudgetStore,
  fields: {
    kind: choice(BUDGET_KINDS),
    subjectId: outputText('The key, member or organization that it limits.'),
    name: outputText(),
    organizationId: outputText(),
    projectId: nullableOutput(outputText()),
    memberId: nullableOutput(outputText()),
    limit: usd,
    usage: usd,
    held: usd,
    left: usd,
    pace: usd,
    periodStart: nullableOutput(time, 'Of a limit that renews, once a period has begun.'),
    periodEnd: nullableOutput(time),
    runsOutAt: nullableOutput(
      time,
      'When nothing is left at the present pace; null if not within a year, or if it or the plan renews before.',
    ),
    planRenewsAt: nullableOutput(time, 'Of credits beside a plan, which pays first: when the plan renews.'),
    refusedAt: nullableOutput(
      time,
      'When it last refused a request that needed more than was left; null once its limit has changed.',
    ),
  },
  operations: {
    list: operation({
      summary:
        'List limits in USD with the remaining amount and daily pace of each, those that run out first at the top.',
      answer: 'A page of budgets.',
      kind: 'page',
      isForMembers: true,
      input: {
        organizationId: inOrganization('Only of this organization.'),
        projectId: filter(idOf('project', ''), 'Only of keys of this project.', '--project <id>'),
        memberId: filter(idOf('member', ''), 'Only of this member and its keys.', '--member <id>'),
      },
      run: ({ directory, input, page }) => directory.listBudgets({ ...input, ...page }),
    }),
  },
  commands: {
    group: 'budgets',
    summary: 'List budgets.',
    target: { flags: '<id>', help: 'the budget’s id, as listed' },
    empty: 'no budgets',
    columns: {
      id: 'id',
      name: 'name',
      member: 'memberId',
      project: 'projectId',
      organization: 'organizationId',
      'used usd': 'usage',
      'limit usd': 'limit',
      'left usd': 'left',
      'usd per day': 'pace',
      renews: ({ periodEnd }) => formatTime(periodEnd),
      'runs out': ({ runsOutAt }) => formatTime(runsOutAt),
      'last refusal': ({ refusedAt }) => formatTime(refusedAt),
    },
    distinguishing: ['member', 'project', 'organization'],
    commands: [
      {
        name: 'budgets',
        operation: 'list',
        pageSize: 100,
        summary: 'List budgets with their remaining amounts, those that run out first at the top.',
        examples: ['budgets', 'budgets --org org_…', 'budgets --project prj_… --json'],
      },
    ],
  },
});
