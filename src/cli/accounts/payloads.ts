import type { Command } from 'commander';
import { type CommonOptions, defineCommand, defineGroup } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { readWhole } from '../terminal/read-amount.ts';
import { getProjectId, withStores } from '../terminal/with-stores.ts';

interface SetOptions extends CommonOptions {
  project?: string;
  days: number | 'off';
}

interface DeleteOptions extends CommonOptions {
  project: string;
}

const readDays = readWhole(1, 400);

export function createPayloadsCommand(): Command {
  return defineGroup('payloads', 'Keep requests and answers of a project word for word; off unless set.', [
    createSet(),
    createDelete(),
  ]);
}

function createSet(): Command {
  return defineCommand({
    name: 'set',
    summary: 'Keep the bodies of requests and answers of a project for some days, or no more of them.',
    examples: ['payloads set --days 30', 'payloads set --project prj_… --days off'],
  })
    .option('--project <id>', 'the project (default: the first)')
    .requiredOption('--days <days>', 'how long each is kept, 1 to 400, or off', (text) =>
      text === 'off' ? text : readDays(text),
    )
    .action(async (options: SetOptions) => {
      const days = options.days === 'off' ? null : options.days;
      const projectId = await withStores(options, async (stores) => {
        const id = await getProjectId(stores, options.project);
        await stores.accounts.directory.setPayloadDays({ projectId: id, days });
        return id;
      });
      print(options, { projectId, payloadDays: days }, () => [
        days === null
          ? `${projectId} keeps no more payloads; those it has stay until their day (payloads delete)`
          : `${projectId} keeps payloads for ${days} days; see one with: logs --request <id> --payload`,
      ]);
    });
}

function createDelete(): Command {
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
      print(options, { projectId: options.project, deleted }, () => [`${deleted} payloads deleted`]);
    });
}
