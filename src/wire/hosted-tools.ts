import type { CanonicalRequest, ClientFormatId, Tool, ToolChoice } from '#canonical';
import { contentsOf } from '#canonical';
import type { OutboundFormat } from './contract.ts';
import { cutName, isArray, isObject } from './read-field.ts';
import { refuseFeature } from './refuse-feature.ts';
import type { Members } from './unchecked.ts';

/** Members of the tools, choices and items of Responses. */
type Native = Members<{
  type: string;
  mode: string;
  namespace: string;
  name: string;
  tools: { name: string }[];
}>;

/**
 * Responses tools that can be dropped: every tool is sent eagerly without tool search, and agents offer web search to
 * every model.
 */
const DISPENSABLE_TOOLS = /^(?:web_search|tool_search)/;
/** Items that only record the use of such a tool. */
const DISPENSABLE_ITEMS = /^(?:web_search|tool_search|additional_tools|mcp_list_tools)/;

/** Wraps a format without the tools of Responses: drops what is dispensable and refuses the rest by name. */
export function withoutHostedTools(format: OutboundFormat): OutboundFormat {
  return {
    ...format,
    openExchange: (request, target) => format.openExchange(LOWERED[request.origin.format](request), target),
  };
}

const AS_IT_IS = (request: CanonicalRequest): CanonicalRequest => request;
/** Caller formats that are lowered here; encoders of the others drop or refuse by themselves. */
const LOWERED: Readonly<Record<ClientFormatId, typeof AS_IT_IS>> = {
  chat: AS_IT_IS,
  messages: AS_IT_IS,
  responses: translate,
  gemini: AS_IT_IS,
};

function translate(request: CanonicalRequest): CanonicalRequest {
  refuseItems(request);
  const { toolChoice, ...rest } = request;
  const choice = toolChoice && translateChoice(toolChoice);
  const allowed = toolChoice && findAllowed(toolChoice);
  return {
    ...rest,
    tools: request.tools.filter((tool) => isOffered(tool) && (!allowed || isAllowed(tool, allowed))),
    ...(choice && { toolChoice: choice }),
  };
}

function refuseItems(request: CanonicalRequest): void {
  for (const { format, value } of contentsOf(request).natives) {
    if (format !== 'responses') continue;
    const type = typeOf(value);
    if (!DISPENSABLE_ITEMS.test(type)) refuseFeature(`an item of the type ${type}`, 'input');
  }
}

function isOffered(tool: Tool): boolean {
  if (tool.type !== 'native' || tool.format !== 'responses') return true;
  const type = typeOf(tool.value);
  return DISPENSABLE_TOOLS.test(type) ? false : refuseFeature(`the tool type ${type}`, 'tools');
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
