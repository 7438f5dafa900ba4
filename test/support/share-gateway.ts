import { afterEach } from 'node:test';
import { type InProcessGateway, openInProcess } from './in-process.ts';
import { shareOpened } from './share-opened.ts';

/** A gateway for the tests of a file. After each test its provider has no scripts, and its database answers. */
export function shareGateway(...options: Parameters<typeof openInProcess>): InProcessGateway {
  const gateway = shareOpened(() => openInProcess(...options));
  afterEach(() => {
    gateway.upstream.clear();
    gateway.line.mend();
  });
  return gateway;
}
