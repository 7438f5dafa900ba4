import type { Command } from 'commander';
import { type CommonOptions, defineCommand } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { withStores } from '../terminal/with-stores.ts';

interface DeleteOptions extends CommonOptions {
  project: string;
}

export function createPayloadsDelete(): Command {
  return defineCommand({
    name: 'delete',
    summary: 'Delete all payloads of a project now.',
    examples: ['payloads delete --project prj_…'],
  })
    .requiredOption('--project <id>', 'the project')
    .action(async (options: DeleteOptions) => {
      const deleted = await withStores(options, async ({ accounts, payloads }) => {
        await accounts.directory.getProject(options.project);
        return payloads.deleteOfProjectAsOperator(options.project);
      });
      print(options, { project_id: options.project, deleted }, () => [`${deleted} payloads deleted`]);
    });
}
