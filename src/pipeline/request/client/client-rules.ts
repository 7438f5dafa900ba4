import type { LogNames } from '#logs';

/** A name that a request gives for itself, in one place. */
export type Name = Exclude<keyof LogNames, 'tags' | 'clientName' | 'clientVersion'>;

/**
 * Headers that carry a name; the first that has a value counts. `x-gateway-…` is for every client, and takes precedence.
 * The others were recorded from the clients themselves (read-names.test.ts).
 */
export const NAME_HEADERS: Readonly<Record<Name, readonly string[]>> = {
  sessionId: [
    'x-gateway-session',
    'x-claude-code-session-id', // Claude Code, Claude Agent SDK
    'session-id', // Codex
    'session_id', // Codex, earlier versions
    'conversation_id', // Codex, earlier versions
    'x-session-id', // opencode
    'x-task-id', // Cline
    'x-litellm-session-id', // LiteLLM's clients, as are the others with this prefix
  ],
  agentId: ['x-gateway-agent', 'x-claude-code-agent-id', 'thread-id'],
  parentAgentId: ['x-gateway-parent-agent', 'x-claude-code-parent-agent-id', 'x-codex-parent-thread-id'],
  runId: ['x-gateway-run'],
  turnId: ['x-gateway-turn'],
  endUserId: ['x-gateway-user', 'x-litellm-end-user-id', 'x-litellm-customer-id'],
};

/** The session that a session of its own was started from: it is listed there as an agent (opencode). */
export const PARENT_SESSION_HEADER = 'x-parent-session-id';

/** `name/version`, for a client whose `user-agent` is that of a library. */
export const CLIENT_HEADER = 'x-gateway-client';
/** The name of an application, as clients of OpenRouter send it. */
export const TITLE_HEADERS = ['x-openrouter-title', 'x-title'];
/** `team=search, env=prod`. */
export const TAGS_HEADERS = ['x-gateway-tags', 'x-litellm-tags'];

/** The same in a body, if no header has it: a member, or a member of an object in it. */
export const NAME_MEMBERS: Readonly<Partial<Record<Name, readonly (readonly string[])[]>>> = {
  sessionId: [
    ['client_metadata', 'session_id'], // Codex
    ['session_id'], // OpenRouter's clients
    ['litellm_session_id'],
  ],
  agentId: [['client_metadata', 'thread_id']],
  parentAgentId: [['client_metadata', 'x-codex-parent-thread-id']],
  runId: [['client_metadata', 'root_turn_id']],
  turnId: [['client_metadata', 'turn_id']],
  endUserId: [['safety_identifier'], ['user'], ['metadata', 'user_id']],
};

/** Objects of a body whose text members are tags: OpenAI's `metadata`, Gemini's `labels`, LiteLLM's. */
export const TAG_MEMBERS = ['metadata', 'labels', 'litellm_metadata'] as const;
/** A list of tags in one of them, and in a body, as LiteLLM's clients send it. */
export const TAG_LIST = 'tags';
/** Members of `metadata` that are names, not tags. */
export const NOT_TAGS: ReadonlySet<string> = new Set(['user_id']);

/** The product in a `user-agent`, in lower case, → the name of the client. Others keep that of their product. */
export const CLIENTS: Readonly<Record<string, string>> = {
  'claude-cli': 'claude-code',
  codex_cli_rs: 'codex',
  codex_exec: 'codex',
  codex_vscode: 'codex',
  'codex-tui': 'codex',
  geminicli: 'gemini-cli',
  'geminicli-tui': 'gemini-cli',
  'geminicli-acp': 'gemini-cli',
  cloudcodevscode: 'gemini-cli', // in VS Code
  qwencode: 'qwen-code',
  roocode: 'roo-code',
  'agents-python': 'openai-agents',
  'agents-javascript': 'openai-agents',
  ai: 'ai-sdk', // Vercel's
  'asyncopenai-python': 'openai-python',
  'asyncanthropic-python': 'anthropic-python',
};

/** What is kept of a request: longer text is cut, further tags are left out. */
export const LIMITS = {
  name: 200,
  session: 120,
  client: 60,
  tags: 16,
  tagKey: 64,
  tagValue: 256,
  tagsLength: 1_000,
} as const;
