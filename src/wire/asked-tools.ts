import { type JsonObject, type JsonValue, append, isJsonObject } from '#base';
import type { CanonicalRequest, ClientFormatId, FormatId, NativeBlock, NativeTool, Tool } from '#canonical';
import { TOOL_NAMED_BY } from '#canonical';
import { findBuiltInTool } from './built-in-tools.ts';

/** A tool that runs at a provider, as requested. */
export interface AskedTool {
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

interface NativeFacts {
  /** Tools not billed by use: those the client runs, tool search, and an advisor, which is billed by tokens. */
  client: RegExp | undefined;
  /** Tools that agents offer to every model, so that they can be dropped. */
  dispensable: RegExp | undefined;
  /** The member that holds the conversation. */
  conversation: 'messages' | 'input';
}

const NONE: NativeFacts = { client: undefined, dispensable: undefined, conversation: 'messages' };
const NATIVE: Readonly<Record<FormatId, NativeFacts>> = {
  chat: NONE,
  messages: { ...NONE, client: /^(?:advisor|bash|text_editor|computer|browser|memory|tool_search)_/ },
  responses: {
    client: /^(?:local_shell|apply_patch|computer|tool_search)/,
    dispensable: /^web_search/,
    conversation: 'input',
  },
  gemini: { ...NONE, client: /^computer_use$/ },
  converse: NONE,
};
const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  web_search_preview: ['web_search'],
  web_search_options: ['web_search', 'live_search'],
  google_search_retrieval: ['google_search'],
  enterprise_web_search: ['google_search'],
  code_execution: ['code_execution', 'code_interpreter'],
  collections_search: ['collections_search', 'file_search'],
};
const CLIENT_TYPES: ReadonlySet<string> = new Set(['function', 'custom', 'namespace', 'tool_reference']);
const SEARCH_FIELD = 'web_search_options';

interface CallerFacts {
  /** Whether `web_search_options` requests searches. */
  hasSearchField: boolean;
  /** What limits the uses of hosted tools: one field for all, `max_uses` of each tool, or nothing. */
  bound: 'max_tool_calls' | 'max_uses' | undefined;
}

const CALLERS: Readonly<Record<ClientFormatId, CallerFacts>> = {
  chat: { hasSearchField: true, bound: undefined },
  messages: { hasSearchField: false, bound: 'max_uses' },
  responses: { hasSearchField: false, bound: 'max_tool_calls' },
  gemini: { hasSearchField: false, bound: undefined },
};

/** Upper bound of uses, so that a hold stays a representable amount. */
const MOST_USES = 1_000_000;

/** Lists the hosted tools of a request in any format; almost always none. */
export function listAskedTools(request: CanonicalRequest): AskedTool[] {
  const asked = request.tools.flatMap((tool) => (tool.type === 'native' ? readNative(tool) : []));
  asked.push(...readTurns(request));
  const { format, body } = request.origin;
  const options = CALLERS[format].hasSearchField ? body[SEARCH_FIELD] : undefined;
  if (options !== undefined && options !== null) asked.push(readSearchOptions(options));
  return asked;
}

/** Tools added by the conversation itself, through blocks and items. */
function readTurns({ turns }: CanonicalRequest): AskedTool[] {
  const asked: AskedTool[] = [];
  for (const { blocks } of turns) {
    for (const block of blocks) if (block.type === 'native') append(asked, readBlock(block));
  }
  return asked;
}

function readBlock({ format, value }: NativeBlock): AskedTool[] {
  const changes = [value['tool_changes'] ?? []].flat().filter(isJsonObject);
  const listed = [value, ...changes].flatMap(({ tools, tool, additions }) => [tools, tool, additions].flat());
  const asked = listed.map(readDefinition).filter(isTyped);
  const param = NATIVE[format].conversation;
  // The conversation is sent unchanged, so its tools cannot be dropped.
  return asked
    .flatMap((tool) => readNative({ format, value: tool }))
    .map((tool) => ({ ...tool, param, isDispensable: false }));
}

/** The conversation may wrap a tool: `{ type: 'tool_definition', definition }`. */
function readDefinition(tool: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(tool) && tool['type'] === 'tool_definition' ? tool['definition'] : tool;
}

/** Whether a tool is anything but a plain function, which the client runs. */
function isTyped(tool: JsonValue | undefined): tool is JsonObject {
  if (!isJsonObject(tool) || typeof tool['type'] !== 'string') return false;
  return !CLIENT_TYPES.has(tool['type']);
}

function readNative({ format, value }: Pick<NativeTool, 'format' | 'value'>): AskedTool[] {
  const type =
    TOOL_NAMED_BY[format] === 'member' ? toSnakeCase(Object.keys(value)[0] ?? '') : textOf(value['type']);
  const { client, dispensable } = NATIVE[format];
  if (client?.test(type) === true || isLocalShell(type, value)) return [];
  const tool = type.replace(DATE, '').slice(0, 64);
  const kind = findKind(tool, value);
  const most = readMost(value['max_uses']);
  return [
    {
      tool,
      type: type.slice(0, 64),
      answers: ANSWERS[tool] ?? [tool],
      param: 'tools',
      ...(tool === 'image_generation' && { exact: 'image_tokens' }),
      ...(kind !== undefined && { kind }),
      ...(most !== undefined && { most }),
      isDispensable: dispensable?.test(tool) === true,
    },
  ];
}

/** A local shell runs at the client; one in a container runs at the provider. */
function isLocalShell(type: string, { environment }: JsonObject): boolean {
  if (type !== 'shell') return false;
  return !isJsonObject(environment) || environment['type'] === 'local';
}

function findKind(tool: string, value: JsonObject): string | undefined {
  switch (tool) {
    case 'image_generation':
      return [value['model'], value['quality'], value['size']].map(textOf).join(':');
    case 'code_interpreter':
      return findMemory(value['container']);
    case 'shell':
      return findMemory(value['environment']);
    default:
      return undefined;
  }
}

/** The memory of a new container; that of an existing one is unknown. */
function findMemory(container: JsonValue | undefined): string | undefined {
  if (typeof container === 'string') return 'existing';
  if (!isJsonObject(container)) return undefined;
  if (container['type'] === 'container_reference') return 'existing';
  return textOf(container['memory_limit']);
}

function readSearchOptions(options: JsonValue): AskedTool {
  const size = isJsonObject(options) ? textOf(options['search_context_size']) : '';
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
export function findMostCalls({ origin: { format, body } }: CanonicalRequest): number | undefined {
  return CALLERS[format].bound === 'max_tool_calls' ? readMost(body['max_tool_calls']) : undefined;
}

/** The tools that remain after translation to a format: encoders drop or refuse the others. */
export function listSentTools(
  asked: readonly AskedTool[],
  request: CanonicalRequest,
  format: FormatId,
): readonly AskedTool[] {
  return request.origin.format === format ? asked : TRANSLATED[format](asked, request);
}

type ToolTranslation = (asked: readonly AskedTool[], request: CanonicalRequest) => readonly AskedTool[];

const NO_TOOLS: ToolTranslation = () => [];
/** How encoders translate the hosted tools of other formats. */
const TRANSLATED: Readonly<Record<FormatId, ToolTranslation>> = {
  chat: NO_TOOLS,
  messages: NO_TOOLS,
  responses: (asked) =>
    asked.filter(({ tool }) => tool === SEARCH_FIELD).map((search) => rename(search, 'web_search')),
  gemini: toGoogleSearch,
  converse: NO_TOOLS,
};

function toGoogleSearch(asked: readonly AskedTool[], request: CanonicalRequest): AskedTool[] {
  if (request.origin.format !== 'messages' || request.tools.some(isDeclared)) return [];
  const search = asked.find(({ tool }) => tool === 'web_search');
  return search ? [rename(search, 'google_search')] : [];
}

function rename(asked: AskedTool, tool: string): AskedTool {
  const renamed = { ...asked, tool, type: tool, answers: [tool] };
  delete renamed.kind;
  return renamed;
}

/** Whether a tool becomes a function; Google refuses its search beside functions. */
function isDeclared(tool: Tool): boolean {
  if (tool.type !== 'native') return tool.type === 'function';
  try {
    return findBuiltInTool(tool) !== undefined;
  } catch {
    return true; // the encoder refuses it by name
  }
}

/** Changes to the hosted tools of a request before it is sent. */
export interface ToolChanges {
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
  const isKept = (value: JsonValue): boolean => !isJsonObject(value) || !dropped.has(nameOf(value));
  const listed = origin.body['tools'];
  const body = { ...origin.body, ...(Array.isArray(listed) && { tools: listed.filter(isKept) }) };
  return {
    ...request,
    tools: tools.filter((tool) => tool.type !== 'native' || isKept(tool.value)),
    origin: { ...origin, body },
  };
}

function boundTools(request: CanonicalRequest, most: ReadonlyMap<string, number>): CanonicalRequest {
  const { origin, extra } = request;
  if (CALLERS[origin.format].bound !== 'max_uses') {
    const calls = [...most.values()].reduce((sum, count) => sum + count, 0);
    return { ...request, extra: { ...extra, responses: { ...extra?.responses, max_tool_calls: calls } } };
  }
  const listed = Array.isArray(origin.body['tools']) ? origin.body['tools'] : [];
  const tools = listed.map((value) => {
    const limit = isJsonObject(value) ? most.get(nameOf(value)) : undefined;
    return limit === undefined || !isJsonObject(value) || typeof value['max_uses'] === 'number'
      ? value
      : { ...value, max_uses: limit };
  });
  return { ...request, origin: { ...origin, body: { ...origin.body, tools } } };
}

function nameOf({ type }: JsonObject): string {
  return textOf(type).replace(DATE, '');
}

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).slice(0, 64);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value.slice(0, 64) : '';
}

/** Whether a requested tool has the same or a later date than one of these types. */
export function isAskedWith(asked: readonly AskedTool[], types: readonly string[]): boolean {
  return types.some((wanted) => {
    const tool = wanted.replace(DATE, '');
    return asked.some((other) => other.tool === tool && other.type >= wanted);
  });
}
