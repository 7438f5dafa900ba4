import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { type ResourcePorts, exportManifest, formatManifest, readExistingEntries } from '#app';
import { formatUsd } from '#base';
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
      'Write organizations, members, projects and keys (never their text), with plans, rules and limits, as a file that `apply` takes.',
    examples: ['export', 'export -o accounts.yaml', 'export --org org_… -o acme.yaml'],
  })
    .option('--org <id>', 'only this organization, as `orgs list` shows it')
    .option('-o, --output <file>', 'write it there instead of printing it')
    .action(async (options: ExportOptions) => {
      const { actual, omitted } = await withStores(options, async (stores, { org }) => {
        const ports = createPorts(options, stores);
        const organizations = await readExistingEntries(ports, org);
        return { actual: organizations, omitted: await listOmitted(ports, organizations) };
      });
      const manifest = exportManifest(actual);
      if (options.output === undefined) {
        print(options, manifest, () => [formatManifest(manifest).trimEnd()]);
        for (const text of omitted) remark(text);
        return;
      }
      await writeFile(options.output, formatManifest(manifest));
      const organizations = actual.length;
      if (options.json === true) print(options, { file: options.output, organizations }, () => []);
      else remark(`wrote ${organizations} ${organizations === 1 ? 'organization' : 'organizations'}`);
      for (const text of omitted) remark(text);
    });
}

/** What files cannot contain, by organization; reported because applying the file elsewhere does not restore it. */
async function listOmitted(
  { directory }: ResourcePorts,
  organizations: readonly { id: string; name: string }[],
): Promise<string[]> {
  const lines: string[] = [];
  for (const { id, name } of organizations) {
    const { balance } = await directory.getOrganization(id);
    if (balance !== undefined)
      lines.push(`${name}: credits of ${formatUsd(balance)} USD left out; a new organization is not metered`);
  }
  return lines;
}
