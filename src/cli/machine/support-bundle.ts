import type { Command } from 'commander';
import { writeBundle } from '#app';
import { systemClock } from '#base';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { formatSize } from '../terminal/size.ts';

export function createSupportBundleCommand(): Command {
  return defineCommand({
    name: 'support-bundle',
    summary:
      'Write a JSON file for support: settings and where they come from, versions, what doctor finds, migrations, ' +
      'sizes and the codes of recent errors. No secrets, prompts or responses.',
    examples: ['support-bundle', 'support-bundle sluice-support.json'],
  })
    .argument('[file]', 'a file that does not exist yet')
    .action(async (file: string | undefined, options: CommonOptions) => {
      const day = new Date(systemClock.now()).toISOString().slice(0, 19).replaceAll(':', '');
      const { path, bytes } = await writeBundle(toOrigin(options), file ?? `sluice-support-${day}.json`);
      print(options, { path, bytes }, () => [
        `${path}: ${formatSize(bytes)} of JSON; read it before you send it`,
      ]);
    });
}
