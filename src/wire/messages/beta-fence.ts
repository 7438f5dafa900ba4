import { type JsonObject, isJsonObject } from '#base';
import type { CanonicalRequest, Dialect } from '#canonical';
import { BETA_FIELDS, BETA_TOOL_FIELDS, TOOL_SEARCH_PREFIX } from './fields.ts';
import { without } from './without.ts';

/** Prefixes of the beta values without which a member is refused as an extra input. */
const BETAS_OF: Readonly<Record<string, readonly string[]>> = {
  output_format: ['structured-outputs-'],
  context_management: ['context-management-', 'compact-'],
  mcp_servers: ['mcp-client-'],
  mcp_toolset: ['mcp-client-'],
  compaction: ['compact-'],
  fallbacks: ['server-side-fallback-'],
  fallback_credit_token: ['fallback-credit-'],
  thread: ['message-threads-'],
  speed: ['fast-mode-'],
  defer_loading: ['tool-search-tool-', 'advanced-tool-use-'],
  input_examples: ['tool-examples-', 'advanced-tool-use-'],
  allowed_callers: ['advanced-tool-use-'],
  eager_input_streaming: ['fine-grained-tool-streaming-'],
  task_budget: ['task-budgets-'],
  block_binding: ['thinking-binding-controls-'],
};

/** Members that only Anthropic's own service accepts. */
const OWN_SERVICE_FIELDS: ReadonlySet<string> = new Set([
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

const CONFIG_BETAS = ['task_budget'];
const THINKING_BETAS = ['block_binding'];

/** Selects the beta values sent to an upstream and the body members that need them: never one without the other. */
export class BetaFence {
  readonly #mode: Dialect['betas'];
  readonly #strict: boolean;
  readonly values: readonly string[];

  constructor(request: CanonicalRequest, { betas, allowedBetas, strictTools }: Dialect) {
    this.#mode = betas;
    this.#strict = strictTools;
    if (betas === 'listed') this.values = choose(request, allowedBetas);
    else this.values = betas === 'verbatim' ? request.betas : [];
  }

  keepsField(name: string): boolean {
    if (this.#mode === 'verbatim') return true;
    if (this.#mode === 'listed' && OWN_SERVICE_FIELDS.has(name)) return false;
    return !BETA_FIELDS.has(name) || this.#has(name);
  }

  /** A copy of a tool without the members the upstream would refuse; `undefined` if nothing changes. */
  strip(tool: JsonObject): JsonObject | undefined {
    if (this.#mode === 'verbatim') return tool;
    if (tool['type'] === 'mcp_toolset' && !this.#has('mcp_toolset')) return undefined;
    if (this.#mode === 'none') return without(tool, BETA_TOOL_FIELDS);
    const refused = [...BETA_TOOL_FIELDS].filter((name) =>
      name === 'strict' ? !this.#strict : !this.#has(name),
    );
    return without(tool, new Set(refused));
  }

  /** Removes nested members that need a beta value. */
  stripNested(body: JsonObject): void {
    if (this.#mode === 'verbatim') return;
    const { output_config: config, thinking } = body;
    if (isJsonObject(config)) {
      body['output_config'] = without(config, this.#refused(CONFIG_BETAS));
      if (Object.keys(body['output_config']).length === 0) delete body['output_config'];
    }
    if (isJsonObject(thinking)) body['thinking'] = without(thinking, this.#refused(THINKING_BETAS));
  }

  #refused(names: readonly string[]): ReadonlySet<string> {
    return new Set(names.filter((name) => !this.#has(name)));
  }

  #has(name: string): boolean {
    const beginnings = BETAS_OF[name] ?? [];
    return this.values.some((value) => beginnings.some((beginning) => value.startsWith(beginning)));
  }
}

/** Whether a top-level member of a Messages request reaches an upstream of this dialect. */
export function isFieldSent(request: CanonicalRequest, dialect: Dialect, name: string): boolean {
  return dialect.betas === 'verbatim' || new BetaFence(request, dialect).keepsField(name);
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
    const type = tool.type === 'native' ? tool.value['type'] : undefined;
    return typeof type === 'string' && type.startsWith(TOOL_SEARCH_PREFIX);
  });
}
