import type { Directory, Perform, Resource, ResourcePorts } from '#accounts';
import { UNUSED_INSTALLATION } from './unused-installation.ts';

/** Runs work on the directory in the place of an operation; an admin key that is bound to an organization is refused. */
export async function useDirectory<Value>(
  perform: Perform,
  work: (directory: Directory) => Promise<Value>,
): Promise<Value> {
  const resource: Resource<ResourcePorts> = {
    name: 'work',
    path: 'work',
    scope: 'accounts',
    fields: {},
    operations: {
      create: {
        summary: '',
        answer: '',
        kind: 'one',
        input: {},
        run: async ({ directory }) => ({ value: await work(directory) }),
      },
    },
    commands: {
      group: 'work',
      summary: '',
      target: { flags: '<id>', help: '' },
      empty: '',
      columns: {},
      commands: [],
    },
  };
  const call = { ...UNUSED_INSTALLATION, id: '', input: {}, page: {} };
  return ((await perform(resource, 'create', call)).result as { value: Value }).value;
}
