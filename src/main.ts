#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

/** The package with the Node that Sluice is tested with on this platform, with its version. */
function nameBundledNode(): string | undefined {
  type Manifest = Record<string, Record<string, string> | undefined>;
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;
  const packages = { ...manifest['optionalDependencies'], ...manifest['peerDependencies'] };
  const ending = `-${process.platform}-${process.arch}`;
  const found = Object.entries(packages).find(([name]) => name.startsWith('node-') && name.endsWith(ending));
  return found?.join('@');
}

/** Why Sluice cannot run here, and what to do. */
function findObstacle(): string | undefined {
  const { platform, versions } = process;
  if (platform === 'win32')
    return 'Sluice runs on Linux and macOS, not on Windows: run it in WSL 2 or in a container.';
  if (Number(versions.node.split('.')[0]) >= 24) return undefined;
  const bundled = nameBundledNode();
  const advice = bundled === undefined ? 'install a newer one' : `run npm install ${bundled} in this folder`;
  return `Sluice needs Node 24 or newer, and this is Node ${versions.node}: ${advice}.`;
}

const obstacle = findObstacle();
if (obstacle !== undefined) {
  console.error(`error: ${obstacle}`);
  process.exit(1);
}
// Caches compiled code, which halves a command's start time; without write access nothing is cached.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/sluice', import.meta.url)));
const { run } = await import('#cli');
await run(process.argv.slice(2));
export {};
