import { described, filter, number, objectOf, reportOf, text, usd } from '#fields';
import type { BudgetStore, Holds } from './budget-store.ts';

export const holdsReport = reportOf<{ directory: Pick<BudgetStore, 'sumHolds'> }>()({
  path: 'holds',
  summary: 'Sum up the amounts reserved for open requests.',
  scope: 'accounts:read',
  isForMembers: true,
  filters: {
    organizationId: filter(text(), 'Only of this organization.'),
    projectId: filter(text(), 'Only of keys of this project.'),
    memberId: filter(text(), 'Only of keys of this member.'),
  },
  answer: 'The sums now.',
  output: objectOf<Holds>()(
    {
      amount: usd,
      requests: number('Requests that the amount is held for.'),
      leased: described('USD that gateways hold in advance for the next requests of busy keys.', usd),
    },
    { name: 'holds' },
  ),
  read: ({ directory, input }) => directory.sumHolds(input),
  findNothing: () => ({ amount: 0n, requests: 0, leased: 0n }),
});
