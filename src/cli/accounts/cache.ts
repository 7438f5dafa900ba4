import type { Command } from 'commander';
import { type CommonOptions, defineCommand, defineGroup } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { readWhole } from '../terminal/read-amount.ts';
import { getProjectId, withStores } from '../terminal/with-stores.ts';

interface SetOptions extends CommonOptions {
  project?: string;
  ttl: number | 'off';
}

const readTtl = readWhole(10, 31_536_000);

export function createCacheCommand(): Command {
  const set = defineCommand({
    name: 'set',
    summary: 'Turn the response cache of a project on or off.',
    examples: ['cache set --ttl 60', 'cache set --project prj_… --ttl off'],
  })
    .option('--project <id>', 'the project (default: the first)')
    .requiredOption('--ttl <seconds>', 'how long answers are kept, or off', (text) =>
      text === 'off' ? text : readTtl(text),
    )
    .action(async (options: SetOptions) => {
      const ttlSeconds = options.ttl === 'off' ? null : options.ttl;
      const projectId = await withStores(options, async (stores) => {
        const id = await getProjectId(stores, options.project);
        await stores.accounts.directory.setCacheTtl({ projectId: id, ttlSeconds });
        return id;
      });
      print(options, { projectId, cacheTtlSeconds: ttlSeconds }, () => [
        ttlSeconds === null
          ? `${projectId} keeps no answers`
          : `${projectId} keeps answers for ${ttlSeconds} s`,
      ]);
    });
  return defineGroup('cache', 'Manage the response cache.', [set]);
}
