import { type JsonValue, append, toSnakeCase } from '#base';
import type { CanonicalRequest, NativeBlock, NativeTool } from '#canonical';
import { contentsOf } from '#canonical';
import { objectOf } from './body/read-answer.ts';
import { cutName, isArray, isObject, isPresent, itemsOf } from './body/read-field.ts';
import type { Members, Unchecked } from './body/unchecked.ts';
import { CLIENT_FACTS, FORMAT_FACTS } from './facts.ts';
import { SEARCH_FIELD } from './format-facts.ts';

/** Members of hosted tools that decide their price, in any format. */
interface HostedTool {
  type: string;
  /** The tool inside a `tool_definition`. */
  definition: HostedTool;
  max_uses: number;
  model: string;
  quality: string;
  size: string;
  container: string | Container;
  environment: Container;
}
interface Container {
  type: string;
  memory_limit: string;
}

/** Members of a request that control hosted tools. */
interface ToolFields {
  tools: HostedTool[];
  web_search_options: { search_context_size: string };
  max_tool_calls: number;
}

/** Members by which blocks and items add tools to a conversation. */
interface ToolChange {
  tools: HostedTool[];
  tool: HostedTool;
  additions: HostedTool[];
}

/** A tool that runs at a provider, as requested. */
export interface RequestedTool {
  /** The type without its date, such as `web_search`; the name in price tables. */
  tool: string;
  /** The type as sent. */
  type: string;
  /** Names under which answers report its uses. */
  answers: readonly string[];
  /** A more precise counter, used instead where it has a price. */
  exact?: string;
  /** The request field. */
  param: string;
  /** A variant with a price of its own, such as `gpt-image-1:high:1024x1024`. */
  kind?: string;
  /** The caller's limit on uses. */
  most?: number;
  /** Whether agents offer it to every model, so that it can be dropped. */
  isDispensable: boolean;
}

const DATE = /_(?:\d{8}|\d{4}_\d{2}_\d{2})$/;

const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  web_search_preview: ['web_search'],
  web_search_options: ['web_search', 'live_search'],
  google_search_retrieval: ['google_search'],
  enterprise_web_search: ['google_search'],
  code_execution: ['code_execution', 'code_interpreter'],
  collections_search: ['collections_search', 'file_search'],
};
const CLIENT_TYPES: ReadonlySet<string> = new Set(['function', 'custom', 'namespace', 'tool_reference']);
/** Upper bound of uses, so that a hold stays a representable amount. */
const MOST_USES = 1_000_000;

/** Lists the hosted tools of a request in any format; almost always none. */
export function listRequestedTools(request: CanonicalRequest): RequestedTool[] {
  const requested = request.tools.flatMap((tool) => (tool.type === 'native' ? readTool(tool) : []));
  // Tools added by the conversation itself, through blocks and items.
  for (const block of contentsOf(request).natives) append(requested, readBlock(block));
  const { format } = request.origin;
  const body: Members<ToolFields> = request.origin.body;
  const options = CLIENT_FACTS[format].hasSearchField ? body[SEARCH_FIELD] : undefined;
  if (isPresent(options)) requested.push(readSearchOptions(options));
  return requested;
}

/** An item is sent with its tools, so they cannot be dropped. */
function readTool(tool: NativeTool): RequestedTool[] {
  const requested = readNative(tool);
  if (!tool.isAdded) return requested;
  const param = FORMAT_FACTS[tool.format].conversation;
  return requested.map((one) => ({ ...one, param, isDispensable: false }));
}

function readBlock({ format, value }: NativeBlock): RequestedTool[] {
  const own: Members<ToolChange & { tool_changes: ToolChange | ToolChange[] }> = value;
  const given = own.tool_changes;
  const changes = isArray(given) ? given.filter(isObject) : isObject(given) ? [given] : [];
  const listed = [own, ...changes].flatMap(({ tools, tool, additions }) => [tools, tool, additions].flat());
  const requested = listed.map(readDefinition).filter(isTyped);
  const param = FORMAT_FACTS[format].conversation;
  // The conversation is sent unchanged, so its tools cannot be dropped.
  return requested
    .flatMap((tool) => readNative({ format, value: tool }))
    .map((tool) => ({ ...tool, param, isDispensable: false }));
}

type MaybeTool = Unchecked<HostedTool> | undefined;

/** The conversation may wrap a tool: `{ type: 'tool_definition', definition }`. */
function readDefinition(tool: MaybeTool): MaybeTool {
  return isObject(tool) && tool.type === 'tool_definition' ? tool.definition : tool;
}

/** Whether a tool is anything but a plain function, which the client runs. */
function isTyped(tool: MaybeTool): tool is Members<HostedTool> {
  return isObject(tool) && typeof tool.type === 'string' && !CLIENT_TYPES.has(tool.type);
}

function readNative({ format, value }: Pick<NativeTool, 'format' | 'value'>): RequestedTool[] {
  const given: Members<HostedTool> = value;
  const { toolNamedBy, clientTools, dispensableTools } = FORMAT_FACTS[format];
  const type =
    toolNamedBy === 'member' ? cutName(toSnakeCase(Object.keys(value)[0] ?? '')) : textOf(given.type);
  if (clientTools?.test(type) === true || isLocalShell(type, given)) return [];
  const tool = cutName(type.replace(DATE, ''));
  const kind = findKind(tool, given);
  const most = readMost(given.max_uses);
  return [
    {
      tool,
      type: cutName(type),
      answers: ANSWERS[tool] ?? [tool],
      param: 'tools',
      ...(tool === 'image_generation' && { exact: 'image_tokens' }),
      ...(kind !== undefined && { kind }),
      ...(most !== undefined && { most }),
      isDispensable: dispensableTools?.test(tool) === true,
    },
  ];
}

/** A local shell runs at the client; one in a container runs at the provider. */
function isLocalShell(type: string, { environment }: Members<HostedTool>): boolean {
  if (type !== 'shell') return false;
  return !isObject(environment) || environment.type === 'local';
}

function findKind(tool: string, given: Members<HostedTool>): string | undefined {
  switch (tool) {
    case 'image_generation':
      return [given.model, given.quality, given.size].map(textOf).join(':');
    case 'code_interpreter':
      return findMemory(given.container);
    case 'shell':
      return findMemory(given.environment);
    default:
      return undefined;
  }
}

/** The memory of a new container; that of an existing one is unknown. */
function findMemory(container: Members<HostedTool>['container']): string | undefined {
  if (typeof container === 'string') return 'existing';
  if (!isObject(container)) return undefined;
  return container.type === 'container_reference' ? 'existing' : textOf(container.memory_limit);
}

function readSearchOptions(options: Unchecked<ToolFields['web_search_options']>): RequestedTool {
  const size = textOf(objectOf(options).search_context_size);
  return {
    tool: SEARCH_FIELD,
    type: SEARCH_FIELD,
    answers: ANSWERS[SEARCH_FIELD] ?? [],
    param: SEARCH_FIELD,
    ...(size !== '' && { kind: size }),
    isDispensable: false,
  };
}

/** An invalid limit must not reduce the hold: it may be dropped before the provider reads it. */
function readMost(limit: JsonValue | undefined): number | undefined {
  return typeof limit === 'number' && limit >= 0 ? Math.min(Math.ceil(limit), MOST_USES) : undefined;
}

/** The `max_tool_calls` of a Responses request. */
export function findMostCalls({ origin }: CanonicalRequest): number | undefined {
  const body: Members<ToolFields> = origin.body;
  return CLIENT_FACTS[origin.format].boundsTools === 'max_tool_calls'
    ? readMost(body.max_tool_calls)
    : undefined;
}

/** Changes to the hosted tools of a request before it is sent. */
interface ToolChanges {
  /** Tools to drop. */
  dropped: ReadonlySet<string>;
  /** Limits for tools without one from the caller. */
  most: ReadonlyMap<string, number>;
}

/** Applies the changes to a copy; the decoded original stays unchanged. */
export function changeTools(request: CanonicalRequest, { dropped, most }: ToolChanges): CanonicalRequest {
  let changed = request;
  if (dropped.size > 0) changed = dropTools(changed, dropped);
  if (most.size > 0) changed = boundTools(changed, most);
  return changed;
}

function dropTools(request: CanonicalRequest, dropped: ReadonlySet<string>): CanonicalRequest {
  const { origin, tools } = request;
  const isKept = (value: Unchecked<HostedTool>): boolean => !isObject(value) || !dropped.has(nameOf(value));
  const body: Members<ToolFields> = { ...origin.body };
  if (isArray(body.tools)) body.tools = body.tools.filter(isKept);
  return {
    ...request,
    tools: tools.filter((tool) => tool.type !== 'native' || isKept(tool.value)),
    origin: { ...origin, body },
  };
}

function boundTools(request: CanonicalRequest, most: ReadonlyMap<string, number>): CanonicalRequest {
  const { origin, extra } = request;
  if (CLIENT_FACTS[origin.format].boundsTools !== 'max_uses') {
    const calls = [...most.values()].reduce((sum, count) => sum + count, 0);
    return { ...request, extra: { ...extra, responses: { ...extra?.responses, max_tool_calls: calls } } };
  }
  const { tools: listed }: Members<ToolFields> = origin.body;
  const tools = itemsOf(listed).map((tool) => {
    if (!isObject(tool) || typeof tool.max_uses === 'number') return tool;
    const limit = most.get(nameOf(tool));
    return limit === undefined ? tool : { ...tool, max_uses: limit };
  });
  return { ...request, origin: { ...origin, body: { ...origin.body, tools } } };
}

function nameOf({ type }: Members<HostedTool>): string {
  return textOf(type).replace(DATE, '');
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? cutName(value) : '';
}

/** Whether a requested tool has the same or a later date than one of these types. */
export function includesToolType(requested: readonly RequestedTool[], types: readonly string[]): boolean {
  return types.some((wanted) => {
    const tool = wanted.replace(DATE, '');
    return requested.some((other) => other.tool === tool && other.type >= wanted);
  });
}
