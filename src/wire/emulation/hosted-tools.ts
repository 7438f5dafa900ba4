import type { CanonicalRequest, FunctionTool, Tool, ToolChoice } from '#canonical';
import { contentsOf } from '#canonical';
import { isClientSearch, liftSearches, lowerSearches, toFunction } from './client-search.ts';
import type { OutboundFormat } from '../contract.ts';
import { cutName, isArray, isObject, itemsOf } from '../body/read-field.ts';
import { refuseFeature } from '../errors/refuse-feature.ts';
import type { Members } from '../body/unchecked.ts';

/** Members of the tools, choices and items of Responses. */
type Native = Members<{
  type: string;
  mode: string;
  namespace: string;
  name: string;
  tools: { type: string; name: string }[];
}>;

/**
 * Responses tools that can be dropped: every tool is sent eagerly without tool search at the provider, and agents offer
 * web search to every model.
 */
const DISPENSABLE_TOOLS = /^(?:web_search|tool_search)/;
const CALLABLE: ReadonlySet<string> = new Set(['function', 'custom', 'namespace']);
/** Items that only record the use of such a tool. */
const DISPENSABLE_ITEMS = /^(?:web_search|tool_search|mcp_list_tools)/;

/** Wraps a format without the tools of Responses: drops what is dispensable and refuses the rest by name. */
export function withoutHostedTools(format: OutboundFormat): OutboundFormat {
  return {
    ...format,
    openExchange(request, target) {
      if (request.origin.format !== 'responses') return format.openExchange(request, target);
      const { request: translated, search } = translate(request);
      const exchange = format.openExchange(translated, target);
      return search ? liftSearches(exchange, search.name) : exchange;
    },
  };
}

/** A request without hosted tools, and the function that replaces a client-run search. */
interface Translated {
  request: CanonicalRequest;
  search?: FunctionTool;
}

function translate(request: CanonicalRequest): Translated {
  refuseItems(request);
  const { toolChoice, ...rest } = request;
  const choice = toolChoice && translateChoice(toolChoice);
  const allowed = toolChoice && findAllowed(toolChoice);
  const offered = request.tools.filter((tool) => isOffered(tool) && (!allowed || isAllowed(tool, allowed)));
  const tools = offered.map(toEager);
  const given = allowed ? undefined : request.tools.find(isClientSearch);
  const search = given && toFunction(given, tools);
  return {
    request: {
      ...rest,
      tools: search ? [...tools, search] : tools,
      ...(search && { turns: lowerSearches(request, search.name) }),
      ...(choice && { toolChoice: choice }),
    },
    ...(search && { search }),
  };
}

/** Nothing would load a deferred tool: the search at the provider is dropped. */
function toEager(tool: Tool): Tool {
  if (tool.type !== 'function' || !tool.deferLoading) return tool;
  const eager = { ...tool };
  delete eager.deferLoading;
  return eager;
}

function refuseItems(request: CanonicalRequest): void {
  for (const { format, value } of contentsOf(request).natives) {
    if (format !== 'responses') continue;
    const type = typeOf(value);
    if (!DISPENSABLE_ITEMS.test(type)) refuseFeature(`an item of the type ${type}`, 'input');
    for (const tool of itemsOf((value as Native).tools)) if (isObject(tool)) refuseFound(typeOf(tool));
  }
}

/** What a search found: only callable tools are decoded as tools. */
function refuseFound(type: string): void {
  if (!CALLABLE.has(type) && !DISPENSABLE_TOOLS.test(type)) refuseFeature(`the tool type ${type}`, 'input');
}

function isOffered(tool: Tool): boolean {
  if (tool.type !== 'native' || tool.format !== 'responses') return true;
  const type = typeOf(tool.value);
  const param = tool.isAdded ? 'input' : 'tools';
  return DISPENSABLE_TOOLS.test(type) ? false : refuseFeature(`the tool type ${type}`, param);
}

/** Allowed by its own name, or as part of a namespace. */
function isAllowed({ name, extra }: Tool, allowed: ReadonlySet<unknown>): boolean {
  const { namespace, name: inner }: Native = extra?.responses ?? {};
  return [name, inner, namespace].some((known) => known !== undefined && allowed.has(known));
}

function translateChoice(choice: ToolChoice): ToolChoice {
  if (choice.type !== 'native' || choice.format !== 'responses') return choice;
  const { mode }: Native = choice.value;
  const type = typeOf(choice.value);
  if (type === 'allowed_tools') return { type: mode === 'required' ? 'any' : 'auto' };
  return DISPENSABLE_TOOLS.test(type)
    ? { type: 'auto' }
    : refuseFeature(`the choice of ${type}`, 'tool_choice');
}

/** The names a choice allows, if it restricts the tools. */
function findAllowed(choice: ToolChoice): Set<unknown> | undefined {
  if (choice.type !== 'native' || choice.format !== 'responses') return undefined;
  const { tools }: Native = choice.value;
  return isArray(tools) ? new Set(tools.filter(isObject).map(({ name }) => name)) : undefined;
}

function typeOf({ type }: Native): string {
  return typeof type === 'string' ? cutName(type) : 'unknown';
}
