import type { Command } from 'commander';
import { CursorStore } from '#app';
import { type CommonOptions, defineCommand } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { withStores } from '../terminal/with-stores.ts';

export function createExportReset(): Command {
  return defineCommand({
    name: 'reset',
    summary:
      'Reset the progress of an export: while it is configured, it starts over where its `from` says. ' +
      'Use it to send everything again, and after an export was removed from the configuration.',
    examples: ['exports reset archive'],
  })
    .argument('<name>', 'its name')
    .action(async (name: string, options: CommonOptions) => {
      const isReset = await withStores(options, ({ database }) => new CursorStore(database).reset(name));
      if (!isReset) throw new Error(`there is no export ${name} (npx sluice exports list shows all)`);
      print(options, { name, reset: true }, () => [`${name} was reset`]);
    });
}
