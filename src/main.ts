#!/usr/bin/env node
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  console.error(
    `Sluice needs Node 24 or newer, and this is Node ${process.versions.node}; run it with npx sluice or npm start.`,
  );
  process.exit(1);
}
const { run } = await import('#cli');
await run(process.argv.slice(2));
export {};
