import { createProviderConfig } from './gateway.ts';
import { type InProcessGateway, openInProcess } from './in-process.ts';
import { type MockUpstream, startMockUpstream } from './mock-upstream.ts';
import { answer } from './upstream-replies.ts';

/** A gateway whose secret commands of their own process can be given, and a provider that always answers. */
export interface CommandScene extends AsyncDisposable {
  gateway: InProcessGateway;
  upstream: MockUpstream;
}

export const SECRET = 'a secret of at least 32 characters';

export async function openCommandScene(): Promise<CommandScene> {
  const upstream = await startMockUpstream();
  upstream.script({ reply: answer({ text: 'hello' }) });
  const gateway = await openInProcess({
    config: createProviderConfig(upstream.baseUrl, {}),
    env: { SLUICE_SECRET: SECRET },
  });
  return {
    gateway,
    upstream,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await upstream.close();
    },
  };
}
