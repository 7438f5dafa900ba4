import type { Command } from 'commander';
import { formatUsd } from '#base';
import { type CommonOptions, defineCommand, defineGroup } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { withStores } from '../terminal/with-stores.ts';

interface CreateOptions extends CommonOptions {
  org: string;
}

function createCreate(): Command {
  return defineCommand({
    name: 'create',
    summary: 'Create a project; it has its own keys and its own response cache.',
    examples: ['projects create --org org_… web'],
  })
    .requiredOption('--org <id>', 'the organization, as `orgs list` shows it')
    .argument('<name>', 'what it is called')
    .action(async (name: string, options: CreateOptions) => {
      const { id, organizationId } = await withStores(options, ({ accounts }) =>
        accounts.directory.createProject({ organizationId: options.org, name }),
      );
      print(options, { id, organizationId, name }, () => [id]);
    });
}

export function createProjectsCommand(): Command {
  const list = defineCommand({
    name: 'list',
    summary: 'List projects with their organizations.',
    examples: ['projects list'],
  }).action(async (options: CommonOptions) => {
    const rows = await withStores(options, async ({ accounts }) => {
      const organizations = await accounts.directory.listOrganizations();
      const lists = await Promise.all(organizations.map(({ id }) => accounts.directory.listProjects(id)));
      return lists.flatMap((projects, index) =>
        projects.map((project) => ({ project, organization: organizations[index] })),
      );
    });
    const data = rows.map(({ project, organization }) => ({
      id: project.id,
      name: project.name,
      cacheTtlSeconds: project.cacheTtlSeconds ?? null,
      payloadDays: project.payloadDays ?? null,
      organizationId: project.organizationId,
      organizationName: organization?.name ?? '',
      balance: organization?.balance === undefined ? null : formatUsd(organization.balance),
    }));
    print(options, { data }, () =>
      formatTable(
        ['id', 'name', 'cache', 'payloads', 'organization', 'organization id'],
        data.map((row) => [
          row.id,
          row.name,
          row.cacheTtlSeconds === null ? 'off' : `${row.cacheTtlSeconds} s`,
          row.payloadDays === null ? 'off' : `${row.payloadDays} days`,
          row.organizationName,
          row.organizationId,
        ]),
      ),
    );
  });
  return defineGroup('projects', 'Create projects and look at them.', [createCreate(), list]);
}
