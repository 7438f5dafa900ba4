/** Faults that change nothing anybody could notice, as `showDifference` writes them, each with why. */
export const EQUIVALENTS: readonly { path: string; before: string; after: string; reason: string }[] = [
  {
    path: 'src/routing/rank-route.ts',
    before: 'return difference < 0n ? -1 : 1;',
    after: 'return difference < 0n ? -(1 + 1) : 1;',
    reason: 'of what a comparison for a sort gives, only the sign counts',
  },
  {
    path: 'src/routing/rank-route.ts',
    before: 'return difference < 0n ? -1 : 1;',
    after: 'return difference < 0n ? -1 : (1 + 1);',
    reason: 'of what a comparison for a sort gives, only the sign counts',
  },
  {
    path: 'src/accounts/rules/checks.ts',
    before: '.sort((a, b) => rankOf(a) - rankOf(b) || (a.type < b.type ? -1 : 1))',
    after: '.sort((a, b) => rankOf(a) - rankOf(b) || (a.type < b.type ? -(1 + 1) : 1))',
    reason: 'of what a comparison for a sort gives, only the sign counts',
  },
  {
    path: 'src/accounts/rules/checks.ts',
    before: '.sort((a, b) => rankOf(a) - rankOf(b) || (a.type < b.type ? -1 : 1))',
    after: '.sort((a, b) => rankOf(a) - rankOf(b) || (a.type < b.type ? -1 : (1 + 1)))',
    reason: 'of what a comparison for a sort gives, only the sign counts',
  },
];
