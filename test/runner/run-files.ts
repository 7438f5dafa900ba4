import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { after, suite } from 'node:test';
import { pathToFileURL } from 'node:url';
import { useSharedServer } from '../support/shared-server.ts';

/** What this process asks its parent for the next file with. */
export interface FileRequest {
  memoryBytes: number;
}

/** The path of the next file, if there is one. */
export interface FileAnswer {
  file?: string | undefined;
}

after(useSharedServer());

/** Where a suite is one of the process and not part of another. */
const outside = AsyncLocalStorage.snapshot();

/** Runs the files that the parent names, one after another, each as a suite: its hooks are its own. */
async function runNext(): Promise<void> {
  const answer = once(process, 'message');
  process.send?.({ memoryBytes: process.memoryUsage.rss() } satisfies FileRequest);
  const [{ file }] = (await answer) as [FileAnswer];
  if (file === undefined) {
    process.disconnect();
    return;
  }
  outside(() => {
    // Not awaited by the suite that asks for it: the run is over when that ends and no other exists.
    void suite(file, async () => {
      try {
        await import(pathToFileURL(resolve(file)).href);
      } catch (error) {
        await runNext(); // a suite that cannot be created has no hooks
        throw error;
      }
      after(runNext);
    });
  });
}

await runNext();
