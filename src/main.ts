#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package with the Node that Sluice is tested with on this platform. */
interface BundledNode {
  name: string;
  version: string;
}

function findBundledNode(): BundledNode | undefined {
  type Manifest = Record<string, Record<string, string> | undefined>;
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;
  const packages = { ...manifest['optionalDependencies'], ...manifest['peerDependencies'] };
  const ending = `-${process.platform}-${process.arch}`;
  const found = Object.entries(packages).find(([name]) => name.startsWith('node-') && name.endsWith(ending));
  return found && { name: found[0], version: found[1] };
}

/** Its program, if it is installed and is not this one. */
function findProgram({ name }: BundledNode): string | undefined {
  try {
    const manifest = module.createRequire(import.meta.url).resolve(`${name}/package.json`);
    const program = join(dirname(manifest), 'bin', 'node');
    return program === process.execPath ? undefined : program;
  } catch {
    return undefined;
  }
}

/** Runs Sluice with another Node: it gets the signals of this process, which ends as it does. */
async function runWith(program: string): Promise<never> {
  const child = spawn(program, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' });
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => child.kill(name));
  const [code] = (await once(child, 'exit').catch((error: unknown) =>
    refuse(`${program} does not run: ${String(error)}`),
  )) as [number | null];
  process.exit(code ?? 1);
}

/** Ends with what to do where Sluice cannot run. */
function refuse(message: string): never {
  console.error(`error: ${message}`);
  process.exit(1);
}

const { platform, versions } = process;
if (platform === 'win32')
  refuse('Sluice runs on Linux and macOS, not on Windows: run it in WSL 2 or in a container.');
if (Number(versions.node.split('.')[0]) < 24) {
  const bundled = findBundledNode();
  const program = bundled && findProgram(bundled);
  if (program !== undefined) await runWith(program);
  const advice = bundled
    ? `run npm install ${bundled.name}@${bundled.version} in this folder`
    : 'install a newer one';
  refuse(`Sluice needs Node 24 or newer, and this is Node ${versions.node}: ${advice}.`);
}
// Caches compiled code, which halves a command's start time; without write access nothing is cached.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/sluice', import.meta.url)));
const { run } = await import('#cli');
await run(process.argv.slice(2));
