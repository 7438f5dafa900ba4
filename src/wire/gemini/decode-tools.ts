import type { FunctionTool, Tool, ToolChoice } from '#canonical';
import { readMember, refuse, requireArray, requireObject, requireString, requireText } from './checks.ts';
import { upConvertSchema } from './up-convert-schema.ts';
import type { GeminiBody, GeminiFunction, GeminiTool } from './schema.ts';
import type { Members, Unchecked } from '../unchecked.ts';

const MOST_TOOLS = 10_000;
const DECLARATIONS: ReadonlySet<string> = new Set(['functionDeclarations', 'function_declarations']);

/** Functions of all entries, and the tools Google runs, unchanged. */
function decodeTools(body: Members<GeminiBody>): Tool[] {
  const entries = readMember(body, 'tools', (value) => requireArray(value, 'tools')) ?? [];
  const tools = entries.flatMap((entry, at) =>
    decodeEntry(requireObject(entry, `tools[${at}]`), `tools[${at}]`),
  );
  return tools.length > MOST_TOOLS ? refuse('tools', `at most ${MOST_TOOLS} are accepted`) : tools;
}

function decodeEntry(entry: Members<GeminiTool>, path: string): Tool[] {
  return Object.entries(entry).flatMap(([name, value]): Tool[] => {
    if (value === undefined || value === null || name === '__proto__') return [];
    if (!DECLARATIONS.has(name)) return [{ type: 'native', format: 'gemini', value: { [name]: value } }];
    return requireArray(value, `${path}.functionDeclarations`).map((item, at) =>
      decodeFunction(item, `${path}.functionDeclarations[${at}]`),
    );
  });
}

function decodeFunction(value: Unchecked<GeminiFunction>, path: string): FunctionTool {
  const declared = requireObject(value, path);
  const tool: FunctionTool = { type: 'function', name: requireText(declared.name, `${path}.name`) };
  const description = readMember(declared, 'description', (text) =>
    requireString(text, `${path}.description`),
  );
  if (description !== undefined) tool.description = description;
  const plain = readMember(declared, 'parametersJsonSchema', (schema) =>
    requireObject(schema, `${path}.parametersJsonSchema`),
  );
  const own = readMember(declared, 'parameters', (schema) => requireObject(schema, `${path}.parameters`));
  if (plain) tool.inputSchema = plain;
  else if (own) tool.inputSchema = upConvertSchema(own);
  return tool;
}

/** Which tools may be called, and whether a call is required. */
interface ToolOptions {
  tools: Tool[];
  toolChoice?: ToolChoice;
}

/** Reads `toolConfig`. A choice among some of the functions offers only those. */
export function decodeToolOptions(body: Members<GeminiBody>): ToolOptions {
  const tools = decodeTools(body);
  const config = readMember(body, 'toolConfig', (value) => requireObject(value, 'toolConfig'));
  const path = 'toolConfig.functionCallingConfig';
  const calling =
    config && readMember(config, 'functionCallingConfig', (value) => requireObject(value, path));
  if (!calling) return { tools };
  const mode =
    readMember(calling, 'mode', (value) => requireString(value, `${path}.mode`).toUpperCase()) ?? 'AUTO';
  const listed = readMember(calling, 'allowedFunctionNames', (value) =>
    requireArray(value, `${path}.allowedFunctionNames`),
  );
  const names = (listed ?? []).map((name, at) => requireString(name, `${path}.allowedFunctionNames[${at}]`));
  return applyMode({ mode, names, path }, tools);
}

interface Calling {
  mode: string;
  names: string[];
  path: string;
}

function applyMode({ mode, names, path }: Calling, tools: Tool[]): ToolOptions {
  const [only, ...others] = names;
  const offered =
    names.length === 0 ? tools : tools.filter((tool) => tool.type === 'native' || names.includes(tool.name));
  switch (mode) {
    case 'AUTO':
    case 'MODE_UNSPECIFIED':
      return { tools, toolChoice: { type: 'auto' } };
    case 'VALIDATED':
      return { tools: offered, toolChoice: { type: 'auto' } };
    case 'NONE':
      return { tools, toolChoice: { type: 'none' } };
    case 'ANY':
      if (only === undefined) return { tools, toolChoice: { type: 'any' } };
      if (others.length === 0) return { tools, toolChoice: { type: 'tool', name: only } };
      return { tools: offered, toolChoice: { type: 'any' } };
    default:
      return refuse(`${path}.mode`, 'must be one of AUTO, ANY, NONE, VALIDATED');
  }
}
