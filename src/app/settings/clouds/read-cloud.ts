import type { CloudId } from '#catalogue';
import type { ProviderEntry } from '../schemas/settings-schema.ts';
import type { CloudConnection, CloudSources } from './cloud-connection.ts';
import { readAzure } from './azure.ts';
import { readBedrock } from './bedrock.ts';
import { readVertex } from './vertex.ts';

const READERS: Record<CloudId, (sources: CloudSources) => CloudConnection> = {
  azure: readAzure,
  bedrock: readBedrock,
  vertex: readVertex,
};

const BLOCKS = { aws: 'bedrock', azure: 'azure', google: 'vertex' } as const;

/** Reads how a cloud is called: the file before the environment, a key before other credentials. */
export function readCloud(cloud: CloudId, sources: CloudSources): CloudConnection {
  return READERS[cloud](sources);
}

/** A block of an entry that belongs to another cloud than its provider. */
export function findStrayBlock(entry: ProviderEntry, cloud: CloudId | undefined): string | undefined {
  const blocks = Object.entries(BLOCKS) as [keyof typeof BLOCKS, CloudId][];
  return blocks.find(([block, owner]) => entry[block] !== undefined && owner !== cloud)?.[0];
}
