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
// Keeps compiled code, so that a command starts in half the time; where the folder cannot be written nothing is kept.
module.enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/sluice', import.meta.url)));
const { run } = await import('#cli');
await run(process.argv.slice(2));
export {};
