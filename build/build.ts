import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.ts';
import { composeLicences } from './licences.ts';
import { type Manifest, composeManifest } from './manifest.ts';
import { listPackages } from './packages.ts';
import { composeSbom } from './sbom.ts';

/** `npm run build [directory]`: writes the publishable package, to `dist/` by default. */
const root = fileURLToPath(new URL('..', import.meta.url));
const target = resolve(process.argv[2] ?? `${root}dist`);

/** Files and folders of the checkout that the package contains, at the same place. */
const COPIED = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'bench/README.md',
  'catalogue',
  'deploy',
  'docs',
  'src/storage/migrations',
  'web/dist',
];

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
execFileSync(process.execPath, [`${root}web/build.ts`], { stdio: 'inherit' });
const metafile = await bundle(root, `${target}/lib`);
for (const path of COPIED) cpSync(`${root}${path}`, `${target}/${path}`, { recursive: true });
const packages = listPackages(root, metafile);
writeFileSync(`${target}/THIRD-PARTY-LICENSES.md`, composeLicences(packages));

const checkout = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as Manifest;
writeFileSync(`${target}/sbom.cdx.json`, `${JSON.stringify(composeSbom(checkout, packages), null, 2)}\n`);
writeFileSync(`${target}/package.json`, `${JSON.stringify(composeManifest(checkout), null, 2)}\n`);
chmodSync(`${target}/lib/main.js`, 0o755);
console.log(`built ${checkout.name} ${checkout.version} in ${target}`);
