import type { FunctionTool, NativeTool, ToolChoice } from '#canonical';
import { findBuiltInTool } from '../../tools/built-in-tools.ts';
import { downConvertSchema } from './down-convert-schema.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import { isObject, itemsOf } from '../../body/read-field.ts';
import type { Members, Unchecked } from '../../body/unchecked.ts';
import type { GeminiFunction, GeminiTool, GeminiToolConfig } from '../schema.ts';

type RawTool = Members<GeminiTool>;
type Calling = Members<GeminiToolConfig['functionCallingConfig']>;

const GOOGLE_SEARCH: RawTool & { googleSearch: object } = { googleSearch: {} };

/** Chat's `allowed_tools`. */
interface AllowedTools {
  mode: string;
  tools: NamedTool[];
}

interface NamedTool {
  name: string;
  function: { name: string };
}

/** All functions in one list, followed by the tools that Google runs. */
export function encodeTools(context: EncodeContext): RawTool[] {
  const declarations: Members<GeminiFunction>[] = [];
  const natives: RawTool[] = [];
  let wantsSearch = false;
  for (const tool of context.request.tools) {
    if (tool.type === 'function') declarations.push(declare(tool, context));
    else if (tool.type !== 'native') continue;
    else if (tool.format === 'gemini') natives.push(tool.value);
    else if (isWebSearch(tool)) wantsSearch = true;
    else declarations.push(...declareBuiltIn(tool, context));
  }
  // Google refuses its search together with functions.
  if (wantsSearch && declarations.length === 0) natives.push(GOOGLE_SEARCH);
  return declarations.length === 0 ? natives : [{ functionDeclarations: declarations }, ...natives];
}

function isWebSearch({ value }: NativeTool): boolean {
  const { type }: Members<{ type: string }> = value;
  return typeof type === 'string' && type.startsWith('web_search');
}

function declare(
  { name, description, inputSchema }: FunctionTool,
  { names }: EncodeContext,
): Members<GeminiFunction> {
  const parameters = inputSchema && downConvertSchema(inputSchema);
  return {
    name: names.encode(name),
    ...(description !== undefined && description !== '' && { description }),
    ...(parameters && { parameters }),
  };
}

function declareBuiltIn(tool: NativeTool, context: EncodeContext): Members<GeminiFunction>[] {
  const known = findBuiltInTool(tool);
  if (!known) return [];
  const { name, description, parameters } = known;
  return [declare({ type: 'function', name, description, inputSchema: parameters }, context)];
}

/** Encodes the choice among the declared functions. */
export function encodeToolConfig(
  choice: ToolChoice,
  context: EncodeContext,
): Members<GeminiToolConfig> | undefined {
  const calling = encodeChoice(choice, context);
  return calling && { functionCallingConfig: calling };
}

function encodeChoice(choice: ToolChoice, context: EncodeContext): Calling | undefined {
  const { names, request, dialect } = context;
  switch (choice.type) {
    case 'auto':
      return { mode: 'AUTO' };
    case 'none':
      return { mode: 'NONE' };
    case 'any':
      return { mode: dialect.forcedToolChoice ? 'ANY' : 'AUTO' };
    case 'tool': {
      const isDeclared = request.tools.some((tool) => tool.name === choice.name);
      if (!dialect.forcedToolChoice || !isDeclared) return { mode: 'AUTO' };
      return { mode: 'ANY', allowedFunctionNames: [names.encode(choice.name)] };
    }
    case 'native':
      return choice.format === 'chat' ? encodeAllowed(choice.value, context) : undefined;
  }
}

/** A subset of the tools, required or merely allowed. */
function encodeAllowed(
  { allowed_tools: allowed }: Members<{ allowed_tools: AllowedTools }>,
  { names }: EncodeContext,
): Calling | undefined {
  if (!isObject(allowed)) return undefined;
  const { mode, tools } = allowed;
  const named = itemsOf(tools)
    .map(readName)
    .filter((name) => name !== undefined);
  if (named.length === 0) return undefined;
  return {
    mode: mode === 'required' ? 'ANY' : 'VALIDATED',
    allowedFunctionNames: named.map((name) => names.encode(name)),
  };
}

function readName(tool: Unchecked<NamedTool>): string | undefined {
  if (!isObject(tool)) return undefined;
  const { name } = isObject(tool.function) ? tool.function : tool;
  return typeof name === 'string' ? name : undefined;
}
