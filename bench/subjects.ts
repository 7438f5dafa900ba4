import { type GatewayOptions, createProviderConfig, startGateway } from '../test/support/gateway.ts';
import { GC_OPTIONS, startServer } from './child.ts';
import type { Subject } from './measure.ts';
import { MODELS } from './scenarios.ts';

/** The gateway, the pass-through and their mock provider, each in its own process. */
export interface Subjects extends AsyncDisposable {
  gateway: Subject;
  passThrough: Subject;
  direct: Subject;
}

/** What tests switch off is measured as a gateway has it by default. */
const USUAL = { SLUICE_LEASES: 'on', SLUICE_ADAPTIVE_ROUTING: 'on' };

/**
 * Starts fresh processes: the memory left by an earlier measurement must not count in the next. Some measurements pass
 * further options and variables to the gateway.
 */
export async function startSubjects({
  nodeOptions = GC_OPTIONS,
  env = {},
  program,
}: Pick<GatewayOptions, 'nodeOptions' | 'env' | 'program'> = {}): Promise<Subjects> {
  await using stack = new AsyncDisposableStack();
  const upstream = stack.use(await startServer('mock-upstream.ts'));
  const passThrough = stack.use(await startServer('pass-through.ts', [upstream.origin]));
  const gateway = stack.use(
    await startGateway({
      config: createProviderConfig(
        `${upstream.origin}/v1`,
        { id: 'benchchat', format: 'chat', models: [MODELS.chat] },
        { id: 'benchmessages', format: 'messages', models: [MODELS.messages] },
      ),
      nodeOptions,
      env: { ...USUAL, ...env },
      ...(program !== undefined && { program }),
    }),
  );
  const owned = stack.move();
  return {
    gateway: {
      name: 'gateway',
      pid: gateway.pid,
      origin: gateway.url,
      headers: { authorization: `Bearer ${gateway.apiKey}` },
      dataDir: gateway.dataDir,
    },
    passThrough: { name: 'pass-through', pid: passThrough.pid, origin: passThrough.origin, headers: {} },
    direct: { name: 'direct', pid: upstream.pid, origin: upstream.origin, headers: {} },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
