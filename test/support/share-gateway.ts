import { after, afterEach, before } from 'node:test';
import { type InProcessGateway, openInProcess } from './in-process.ts';

/** Opens a gateway for the tests of a file. After each test its provider has no scripts, and its database answers. */
export function shareGateway(
  assign: (gateway: InProcessGateway) => void,
  ...options: Parameters<typeof openInProcess>
): void {
  let gateway: InProcessGateway;
  before(async () => {
    gateway = await openInProcess(...options);
    assign(gateway);
  });
  after(() => gateway[Symbol.asyncDispose]());
  afterEach(() => {
    gateway.upstream.clear();
    gateway.line.mend();
  });
}
