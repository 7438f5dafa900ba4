import { resolve } from 'node:path';
import { after, suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { useSharedServer } from '../support/shared-server.ts';

after(useSharedServer());

/** Runs test files one after another in this process, each as a suite: its hooks are its own. */
for (const file of process.argv.slice(2)) {
  suite(file, async () => {
    await import(pathToFileURL(resolve(file)).href);
  });
}
