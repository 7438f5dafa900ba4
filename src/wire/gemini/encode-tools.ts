import { type JsonObject, type JsonValue, isJsonObject } from '#base';
import type { FunctionTool, NativeTool, ToolChoice } from '#canonical';
import { findBuiltInTool } from '../built-in-tools.ts';
import { downConvertSchema } from './down-convert-schema.ts';
import type { EncodeContext } from '../encode-context.ts';

/** All functions in one list, followed by the tools that Google runs. */
export function encodeTools(context: EncodeContext): JsonObject[] {
  const declarations: JsonObject[] = [];
  const natives: JsonObject[] = [];
  let wantsSearch = false;
  for (const tool of context.request.tools) {
    if (tool.type === 'function') declarations.push(declare(tool, context));
    else if (tool.type !== 'native') continue;
    else if (tool.format === 'gemini') natives.push(tool.value);
    else if (isWebSearch(tool)) wantsSearch = true;
    else declarations.push(...declareBuiltIn(tool, context));
  }
  // Google refuses its search beside functions.
  if (wantsSearch && declarations.length === 0) natives.push({ googleSearch: {} });
  return declarations.length === 0 ? natives : [{ functionDeclarations: declarations }, ...natives];
}

function isWebSearch({ value }: NativeTool): boolean {
  return typeof value['type'] === 'string' && value['type'].startsWith('web_search');
}

function declare({ name, description, inputSchema }: FunctionTool, { names }: EncodeContext): JsonObject {
  const parameters = inputSchema && downConvertSchema(inputSchema);
  return {
    name: names.encode(name),
    ...(description !== undefined && description !== '' && { description }),
    ...(parameters && { parameters }),
  };
}

function declareBuiltIn(tool: NativeTool, context: EncodeContext): JsonObject[] {
  const known = findBuiltInTool(tool);
  if (!known) return [];
  const { name, description, parameters } = known;
  return [declare({ type: 'function', name, description, inputSchema: parameters }, context)];
}

/** Encodes the choice among the declared functions. */
export function encodeToolConfig(choice: ToolChoice, context: EncodeContext): JsonObject | undefined {
  const calling = encodeChoice(choice, context);
  return calling && { functionCallingConfig: calling };
}

function encodeChoice(choice: ToolChoice, context: EncodeContext): JsonObject | undefined {
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

/** Chat's `allowed_tools`: a subset of the tools, required or merely allowed. */
function encodeAllowed(value: JsonObject, { names }: EncodeContext): JsonObject | undefined {
  const allowed = isJsonObject(value['allowed_tools']) ? value['allowed_tools'] : {};
  const { mode, tools } = allowed;
  const named = (Array.isArray(tools) ? tools : []).map(readName).filter((name) => name !== undefined);
  if (named.length === 0) return undefined;
  return {
    mode: mode === 'required' ? 'ANY' : 'VALIDATED',
    allowedFunctionNames: named.map((name) => names.encode(name)),
  };
}

function readName(tool: JsonValue): string | undefined {
  if (!isJsonObject(tool)) return undefined;
  const given = isJsonObject(tool['function']) ? tool['function'] : tool;
  return typeof given['name'] === 'string' ? given['name'] : undefined;
}
