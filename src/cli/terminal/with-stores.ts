import type { CommonOptions } from './command.ts';
import type { Operation, ResourcePorts, Stores } from '#app';
import {
  composeInstallation,
  createCommandLog,
  loadByokTerms,
  loadSettings,
  loadStoreSettings,
  openStores,
} from '#app';
import { toOrigin } from './command.ts';
import { findOptionIds } from './find-id.ts';
import { awaitInterruption, unlessInterrupted } from './interruption.ts';

/**
 * Runs work on the stores of an installation: those of a running gateway, or its own, which ends with the command. The
 * work gets the options with ids where they have names.
 */
export async function withStores<Options extends CommonOptions, Result>(
  options: Options,
  work: (stores: Stores, options: Options) => Promise<Result>,
): Promise<Result> {
  return untilInterrupted(options, ({ signal, ...opened }) =>
    unlessInterrupted(signal, work(opened.stores, opened.options)),
  );
}

interface OpenedStores<Options> {
  stores: Stores;
  options: Options;
  signal: AbortSignal;
}

/** As `withStores`, for work that itself ends soon after its signal. */
export async function untilInterrupted<Options extends CommonOptions, Result>(
  options: Options,
  work: (opened: OpenedStores<Options>) => Promise<Result>,
): Promise<Result> {
  const settings = loadStoreSettings(toOrigin(options));
  using interruption = awaitInterruption();
  const { signal } = interruption;
  await using stores = await openStores(settings, { role: 'command', log: createCommandLog(), signal });
  const named = await findOptionIds(createPorts(options, stores), options);
  return await work({ stores, signal, options: named });
}

/** Runs work with what the operations of resources use. */
export async function withPorts<Options extends CommonOptions, Result>(
  options: Options,
  { local }: Pick<Operation, 'local'>,
  work: (ports: ResourcePorts, options: Options) => Promise<Result>,
): Promise<Result> {
  // An operation on the configuration takes no other port, and works where there is no database yet.
  if (local === 'configuration') return work(createConfiguration(options) as ResourcePorts, options);
  return withStores(options, (stores, named) => work(createPorts(options, stores), named));
}

export function createPorts(options: CommonOptions, stores: Stores): ResourcePorts {
  const installation = composeInstallation(stores, createConfiguration(options, stores));
  return { ...installation, directory: stores.accounts.directory };
}

/** The configuration is only read by operations that need it. */
function createConfiguration(
  options: CommonOptions,
  stores?: Stores,
): Pick<ResourcePorts, 'plans' | 'byokTerms'> {
  const origin = toOrigin(options);
  return {
    plans: async () => (await loadSettings(origin, 'show')).plans,
    byokTerms: () => loadByokTerms(origin, stores?.database),
  };
}

type Defaults = Pick<ResourcePorts['directory'], 'findDefault'>;

/** The named organization, or the installation's first. */
export async function getOrganizationId(directory: Defaults, id: string | undefined): Promise<string> {
  if (id !== undefined) return id;
  const found = await directory.findDefault();
  if (!found) throw new Error('there is no organization yet; start the gateway once, or name one with --org');
  return found.organizationId;
}

/** The named project, or the first of the installation's first organization; never that of another organization. */
export async function getProjectId(directory: Defaults, projectId: string | undefined): Promise<string> {
  if (projectId !== undefined) return projectId;
  const found = await directory.findDefault();
  if (!found) throw new Error('there is no project yet; start the gateway once, or name one with --project');
  const { organizationId, projectId: first } = found;
  if (first === undefined)
    throw new Error(
      `the first organization (${organizationId}) has no project; name one of another with --project, or create one: npx sluice projects create --org ${organizationId} NAME`,
    );
  return first;
}
