import { createBody } from './bodies.ts';

/** One kind of work for the gateway and the pass-through: the same bytes upstream, apart from the format. */
export interface Scenario {
  name: string;
  /** The request to the gateway. */
  gateway: { path: string; body: string };
  /** The request to the pass-through, and to the mock provider directly, in the provider's format. */
  direct: { path: string; body: string };
  connections: number;
}

/** The gateway's models: one behind a provider of each format. */
export const MODELS = { chat: 'bench-chat', messages: 'bench-messages' } as const;

const PATHS = { chat: '/v1/chat/completions', messages: '/v1/messages' } as const;

interface Kind {
  from: 'chat' | 'messages';
  to: 'chat' | 'messages';
  bytes: number;
  stream: boolean;
  /** 32 by default. */
  connections?: number;
}

const USUAL_CONNECTIONS = 32;

function createScenario({ from, to, bytes, stream, connections = USUAL_CONNECTIONS }: Kind): Scenario {
  const size = bytes >= 10_000 ? `${Math.round(bytes / 1000)} KB` : `${bytes / 1000} KB`;
  const crowd = connections === USUAL_CONNECTIONS ? '' : ` × ${connections}`;
  return {
    name: `${from} → ${to}, ${stream ? 'stream of 100' : `JSON ${size}`}${crowd}`,
    gateway: { path: PATHS[from], body: createBody({ format: from, model: MODELS[to], bytes, stream }) },
    direct: { path: PATHS[to], body: createBody({ format: to, model: MODELS[to], bytes, stream }) },
    connections,
  };
}

export const SCENARIOS: readonly Scenario[] = [
  createScenario({ from: 'chat', to: 'chat', bytes: 2000, stream: false }),
  createScenario({ from: 'chat', to: 'chat', bytes: 2000, stream: false, connections: 128 }),
  createScenario({ from: 'chat', to: 'chat', bytes: 200_000, stream: false }),
  createScenario({ from: 'chat', to: 'chat', bytes: 2000, stream: true }),
  createScenario({ from: 'messages', to: 'chat', bytes: 2000, stream: false }),
  createScenario({ from: 'messages', to: 'chat', bytes: 2000, stream: true }),
  createScenario({ from: 'messages', to: 'messages', bytes: 2000, stream: true }),
];

/** A thousand of these stay open while memory is read. */
export const SLOW_SCENARIO: Scenario = (() => {
  const body = (model: string): string =>
    JSON.stringify({
      model,
      stream: true,
      max_tokens: 1000,
      messages: [{ role: 'user', content: 'bench-slow' }],
    });
  const work = { path: PATHS.chat, body: body(MODELS.chat) };
  return { name: 'slow streams', gateway: work, direct: work, connections: 1000 };
})();
