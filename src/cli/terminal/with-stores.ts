import type { CommonOptions } from './command.ts';
import type { ResourcePorts, Stores } from '#app';
import { createCommandLog, loadByokTerms, loadSettings, loadStoreSettings, openStores } from '#app';
import { toOrigin } from './command.ts';

/** Runs work on the stores of an installation: a running gateway's, else started for the moment. */
export async function withStores<Result>(
  options: CommonOptions,
  work: (stores: Stores) => Promise<Result>,
): Promise<Result> {
  const settings = loadStoreSettings(toOrigin(options));
  await using stores = await openStores(settings, { role: 'command', log: createCommandLog() });
  return await work(stores);
}

/** What the operations of resources reach; the configuration is only read by those that need it. */
export function createPorts(options: CommonOptions, { accounts: { directory } }: Stores): ResourcePorts {
  const origin = toOrigin(options);
  return {
    directory,
    plans: async () => (await loadSettings(origin)).plans,
    byokTerms: () => loadByokTerms(origin),
  };
}

/** The organization that was named, else the installation's first. */
export async function getOrganizationId({ accounts }: Stores, id: string | undefined): Promise<string> {
  if (id !== undefined) return id;
  const found = await accounts.directory.findDefault();
  if (!found) throw new Error('there is no organization yet; start the gateway once, or name one with --org');
  return found.organizationId;
}

/** The project that was named, else the installation's first. */
export async function getProjectId({ accounts }: Stores, projectId: string | undefined): Promise<string> {
  if (projectId !== undefined) return projectId;
  const found = await accounts.directory.findDefault();
  if (!found) throw new Error('there is no project yet; start the gateway once, or name one with --project');
  return found.projectId;
}
