import type { ResourceCommand } from './resource.ts';

interface RenamedResource {
  /** As the command line calls it. */
  group: string;
  what: string;
  /** An id and a name for examples. */
  sample: string;
}

/** `orgs rename`, `projects rename` and `members rename`. */
export function renameCommand({
  group,
  what,
  sample,
}: RenamedResource): ResourceCommand<object, { id: string; name: string }, never> {
  return {
    name: 'rename',
    operation: 'update',
    inputs: ['name'],
    summary: `Change the name of ${what}.`,
    examples: [`${group} rename ${sample}`],
    format: ({ id, name }) => [`${id} has the name ${name}`],
  };
}
