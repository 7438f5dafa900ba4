import type { CommandGroup, ResourceCommand } from './resource.ts';

/** `orgs rename`, `projects rename` and `members rename`. */
export function renameCommand({
  group,
  what,
  sample,
}: CommandGroup): ResourceCommand<object, { id: string; name: string }, never> {
  return {
    name: 'rename',
    operation: 'update',
    inputs: ['name'],
    summary: `Change the name of ${what}.`,
    examples: [`${group} rename ${sample}`],
    format: ({ id, name }) => [`${id} has the name ${name}`],
  };
}
