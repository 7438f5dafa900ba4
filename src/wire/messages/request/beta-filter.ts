import type { CanonicalRequest, Dialect } from '#canonical';
import { isObject } from '../../body/read-field.ts';
import type { MessagesBody, MessagesOutputConfig, MessagesThinking, MessagesTool } from '../schema.ts';
import type { Members } from '../../body/unchecked.ts';
import { without } from '../../body/without.ts';

/** The prefixes of the beta values that a member needs; without one it is refused as an extra input. */
type Betas<Owner> = ReadonlyMap<keyof Owner & string, readonly string[]>;

const BODY_BETAS: Betas<MessagesBody> = new Map<keyof MessagesBody, readonly string[]>([
  ['output_format', ['structured-outputs-']],
  ['context_management', ['context-management-', 'compact-']],
  ['mcp_servers', ['mcp-client-']],
  ['compaction', ['compact-']],
  ['fallbacks', ['server-side-fallback-']],
  ['fallback_credit_token', ['fallback-credit-']],
  ['thread', ['message-threads-']],
  ['billing_policy', []],
  ['speed', ['fast-mode-']],
]);
const TOOL_BETAS: Betas<MessagesTool> = new Map<keyof MessagesTool, readonly string[]>([
  ['defer_loading', ['tool-search-tool-', 'advanced-tool-use-']],
  ['input_examples', ['tool-examples-', 'advanced-tool-use-']],
  ['allowed_callers', ['advanced-tool-use-']],
  ['eager_input_streaming', ['fine-grained-tool-streaming-']],
]);
const TOOLSET_BETAS = ['mcp-client-'];
const TOOL_CHANGE_BETAS = ['mid-conversation-tool-changes-', 'inline-tools-'];
const CONFIG_BETAS: Betas<MessagesOutputConfig> = new Map([['task_budget', ['task-budgets-']]]);
const THINKING_BETAS: Betas<MessagesThinking> = new Map([['block_binding', ['thinking-binding-controls-']]]);

/** Members that only Anthropic's own service accepts. */
const OWN_SERVICE_FIELDS: ReadonlySet<string> = new Set<keyof MessagesBody>([
  'cache_control',
  'container',
  'diagnostics',
  'inference_geo',
  'service_tier',
]);

/** The clouds' names for Anthropic's beta features (anthropics/claude-code#49370). */
const CLOUD_NAMES: Readonly<Record<string, readonly string[]>> = {
  'advanced-tool-use-2025-11-20': ['tool-search-tool-2025-10-19', 'tool-examples-2025-10-29'],
};
const TOOL_SEARCH = 'tool-search-tool-2025-10-19';

/** Selects the beta values for an upstream and the members that need them: neither is sent without the other. */
export class BetaFilter {
  readonly #mode: Dialect['betas'];
  readonly #takesStrict: boolean;
  readonly values: readonly string[];

  constructor(request: CanonicalRequest, { betas, allowedBetas, strictTools }: Dialect) {
    this.#mode = betas;
    if (betas === 'listed') this.values = choose(request, allowedBetas);
    else this.values = betas === 'verbatim' ? request.betas : [];
    this.#takesStrict = betas === 'listed' && strictTools;
  }

  keepsField(name: string): boolean {
    if (this.#mode === 'verbatim') return true;
    if (this.#mode === 'listed' && OWN_SERVICE_FIELDS.has(name)) return false;
    const betas = (BODY_BETAS as ReadonlyMap<string, readonly string[]>).get(name);
    return betas === undefined || this.#hasAny(betas);
  }

  /** Whether the upstream accepts blocks that add and withdraw tools. */
  get keepsToolChanges(): boolean {
    return this.#mode === 'verbatim' || this.#hasAny(TOOL_CHANGE_BETAS);
  }

  /** The tool without the members the upstream would refuse; `undefined` if it would refuse the tool. */
  strip(tool: Members<MessagesTool>): Members<MessagesTool> | undefined {
    if (this.#mode === 'verbatim') return tool;
    if (tool.type === 'mcp_toolset' && !this.#hasAny(TOOLSET_BETAS)) return undefined;
    const refused = this.#listRefused(TOOL_BETAS);
    return without(tool, this.#takesStrict ? refused : refused.add('strict'));
  }

  /** Removes nested members that need a beta value. */
  stripNested(body: Members<MessagesBody>): void {
    if (this.#mode === 'verbatim') return;
    const { output_config: config, thinking } = body;
    if (isObject(config)) {
      const kept = without(config, this.#listRefused(CONFIG_BETAS));
      if (Object.keys(kept).length > 0) body.output_config = kept;
      else delete body.output_config;
    }
    if (isObject(thinking)) body.thinking = without(thinking, this.#listRefused(THINKING_BETAS));
  }

  #listRefused<Owner>(betas: Betas<Owner>): Set<keyof Owner & string> {
    const names = new Set<keyof Owner & string>();
    for (const [name, beginnings] of betas) if (!this.#hasAny(beginnings)) names.add(name);
    return names;
  }

  #hasAny(beginnings: readonly string[]): boolean {
    return this.values.some((value) => beginnings.some((beginning) => value.startsWith(beginning)));
  }
}

/** Whether a top-level member of a Messages request reaches an upstream of this dialect. */
export function isFieldSent(request: CanonicalRequest, dialect: Dialect, name: string): boolean {
  return new BetaFilter(request, dialect).keepsField(name);
}

function choose(request: CanonicalRequest, allowed: readonly string[]): string[] {
  const named = request.betas.flatMap((value) => [value, ...(CLOUD_NAMES[value] ?? [])]);
  // Anthropic no longer needs a beta value for tool search; the clouds do.
  if (searchesTools(request)) named.push(TOOL_SEARCH);
  return [...new Set(named)].filter((value) => allowed.includes(value));
}

function searchesTools({ tools }: CanonicalRequest): boolean {
  return tools.some((tool) => {
    if (tool.type === 'function') return tool.deferLoading === true;
    const native: Members<MessagesTool> = tool.type === 'native' ? tool.value : {};
    return isToolSearch(native.type);
  });
}

/** Whether a tool's type or name is Anthropic's tool search. */
export function isToolSearch(name: unknown): boolean {
  return typeof name === 'string' && name.startsWith('tool_search_tool_');
}
