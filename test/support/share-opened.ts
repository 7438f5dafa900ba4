import { after, before } from 'node:test';

/** What the tests of a file share: opened before them and disposed after them. It has its members from the first hook on. */
export function shareOpened<Opened extends AsyncDisposable>(open: () => Promise<Opened>): Opened {
  const opened = {} as Opened;
  before(async () => {
    Object.assign(opened, await open());
  });
  after(() => opened[Symbol.asyncDispose]());
  return opened;
}
