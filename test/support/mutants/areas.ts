import { globSync } from 'node:fs';

/** Where faults are planted: as many in each area, however large it is. */
export const AREAS: Record<string, readonly string[]> = {
  money: [
    'src/base/money.ts',
    'src/accounts/ledger/**/*.ts',
    'src/accounts/plans/**/*.ts',
    'src/canonical/usage.ts',
    'src/catalogue/price.ts',
    'src/catalogue/unit-price.ts',
    'src/pipeline/path/admit.ts',
    'src/pipeline/path/settle/settle.ts',
    'src/pipeline/media/admit-medium.ts',
    'src/pipeline/media/medium-meter.ts',
    'src/pipeline/path/settle/progress.ts',
    'src/pipeline/price/**/*.ts',
    'src/pipeline/attempt/holds/growing-hold.ts',
    'src/pipeline/attempt/holds/hold-to-end.ts',
    'src/pipeline/attempt/sum-bills.ts',
  ],
  limits: [
    'src/accounts/limits/**/*.ts',
    'src/accounts/members/**/*.ts',
    'src/accounts/rules/**/*.ts',
    'src/accounts/sessions/**/*.ts',
    'src/pipeline/path/limit.ts',
    'src/pipeline/path/limit-headers.ts',
    'src/pipeline/path/mappings/permit.ts',
  ],
  routing: [
    'src/routing/**/*.ts',
    'src/pipeline/attempt/attempt.ts',
    'src/pipeline/attempt/candidate.ts',
    'src/pipeline/attempt/fan-out.ts',
    'src/pipeline/attempt/route/race.ts',
    'src/pipeline/attempt/route/route-walk.ts',
    'src/pipeline/attempt/route/route-state.ts',
    'src/pipeline/attempt/attempt-types.ts',
    'src/pipeline/path/mappings/plan.ts',
    'src/pipeline/path/mappings/resolve.ts',
  ],
  wire: ['src/wire/**/*.ts'],
};

/** Throws if a pattern matches no file: a file that was moved must not leave its area unnoticed. */
export function listArea(root: string, globs: readonly string[]): string[] {
  const files = globs.flatMap((glob) => {
    const found = globSync(glob, { cwd: root });
    if (found.length === 0) throw new Error(`no file matches ${glob}`);
    return found;
  });
  return files.filter((file) => !file.endsWith('.test.ts')).sort();
}
