import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { exportManifest, formatManifest, readActual } from '#app';
import { type CommonOptions, defineCommand } from '../terminal/command.ts';
import { print, remark } from '../terminal/output.ts';
import { createPorts, withStores } from '../terminal/with-stores.ts';

interface ExportOptions extends CommonOptions {
  org?: string;
  output?: string;
}

export function createExportCommand(): Command {
  return defineCommand({
    name: 'export',
    summary:
      'Write organizations, projects and keys (never their text), with plans, rules and limits, as a file that `apply` takes.',
    examples: ['export', 'export -o accounts.yaml', 'export --org org_… -o acme.yaml'],
  })
    .option('--org <id>', 'only this organization, as `orgs list` shows it')
    .option('-o, --output <file>', 'write it there instead of printing it')
    .action(async (options: ExportOptions) => {
      const actual = await withStores(options, (stores, { org }) =>
        readActual(createPorts(options, stores), org),
      );
      const manifest = exportManifest(actual);
      if (options.output === undefined) {
        print(options, manifest, () => [formatManifest(manifest).trimEnd()]);
        return;
      }
      await writeFile(options.output, formatManifest(manifest));
      const organizations = actual.length;
      if (options.json === true) print(options, { file: options.output, organizations }, () => []);
      else remark(`wrote ${organizations} ${organizations === 1 ? 'organization' : 'organizations'}`);
    });
}
