import type { Command } from 'commander';
import { version } from '#app';
import { type CommonOptions, defineCommand } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';

export function createVersionCommand(): Command {
  return defineCommand({ name: 'version', summary: 'Print the version.', examples: ['version'] }).action(
    (options: CommonOptions) => {
      const { node } = process.versions;
      print(options, { version, node }, () => [`sluice ${version} (node ${node})`]);
    },
  );
}
