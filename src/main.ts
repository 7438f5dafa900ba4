#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  console.error(
    `Sluice needs Node 24 or newer, and this is Node ${process.versions.node}; run it with npx sluice or npm start.`,
  );
  process.exit(1);
}
// Caches compiled code, which halves a command's start time; without write access nothing is cached.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/sluice', import.meta.url)));
const { run } = await import('#cli');
await run(process.argv.slice(2));
export {};
