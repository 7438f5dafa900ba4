import { describeLimits } from './describe.ts';
import type { CommandGroup, ResourceCommand } from './resource.ts';

type Limits = Parameters<typeof describeLimits>[0];

/** `keys limit` and `keys recurring`, the same for members: each keeps the other limit. */
export function spendingCommands(
  spender: CommandGroup,
): ResourceCommand<object, { id: string } & Limits, never>[] {
  const { group, what, sample } = spender;
  return [
    {
      name: 'limit',
      operation: 'update',
      inputs: ['limit'],
      summary: `Set the most ${what} may ever spend. \`${group} recurring\` sets what it may spend per period.`,
      examples: [`${group} limit ${sample} 25`, `${group} limit ${sample} none`],
      format: ({ id, limit }) => [
        `${id} ${describeLimits({ limit, recurringLimit: null }) ?? 'has no total limit'}`,
      ],
    },
    recurringCommand(spender),
  ];
}

/** `keys recurring`, and the same of others. */
export function recurringCommand({
  group,
  what,
  sample,
}: CommandGroup): ResourceCommand<object, { id: string } & Pick<Limits, 'recurringLimit'>, never> {
  return {
    name: 'recurring',
    operation: 'update',
    inputs: ['recurringLimit'],
    summary: `Set the most ${what} may spend per hour, day, week or month. Usage in the current period is kept.`,
    examples: [`${group} recurring ${sample} 5/day`, `${group} recurring ${sample} none`],
    format: ({ id, recurringLimit }) => [
      `${id} ${describeLimits({ limit: null, recurringLimit }) ?? 'has no recurring limit'}`,
    ],
  };
}
