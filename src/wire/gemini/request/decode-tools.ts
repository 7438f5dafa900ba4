import type { JsonValue } from '#base';
import type { FunctionTool, Tool, ToolChoice } from '#canonical';
import { refuse } from '../../body/read-field.ts';
import { findMember, spellingsOf } from '../members.ts';
import type { GeminiBody, GeminiFunction, GeminiTool } from '../schema.ts';
import { upConvertSchema } from './up-convert-schema.ts';

const MOST_TOOLS = 10_000;
const DECLARATIONS = spellingsOf(['functionDeclarations'] satisfies (keyof GeminiTool)[]);

/** What a function is declared with, here and in other formats; Google has no tool of such a name. */
const OF_A_FUNCTION: ReadonlySet<string> = new Set([
  ...spellingsOf([
    'name',
    'description',
    'parameters',
    'parametersJsonSchema',
  ] satisfies (keyof GeminiFunction)[]),
  'input_schema',
  'function',
  'type',
]);

/** Functions of all entries, and the tools Google runs, unchanged. */
function decodeTools(body: GeminiBody): Tool[] {
  const tools = (body.tools ?? []).flatMap(decodeEntry);
  return tools.length > MOST_TOOLS ? refuse('tools', `at most ${MOST_TOOLS} are accepted`) : tools;
}

function decodeEntry(entry: GeminiTool, index: number): Tool[] {
  const declared = findMember(entry, 'functionDeclarations');
  return Object.entries<JsonValue | undefined>(entry).flatMap(([name, value]): Tool[] => {
    if (value === undefined || value === null || name === '__proto__') return [];
    if (OF_A_FUNCTION.has(name))
      refuse(`tools[${index}].${name}`, 'is not a tool; declare functions in functionDeclarations');
    if (!DECLARATIONS.has(name)) return [{ type: 'native', format: 'gemini', value: { [name]: value } }];
    return value === declared ? declared.map(decodeFunction) : [];
  });
}

function decodeFunction(declared: GeminiFunction): FunctionTool {
  const tool: FunctionTool = { type: 'function', name: declared.name };
  const { description, parameters: own } = declared;
  if (typeof description === 'string') tool.description = description;
  const plain = findMember(declared, 'parametersJsonSchema');
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
export function decodeToolOptions(body: GeminiBody): ToolOptions {
  const tools = decodeTools(body);
  const config = findMember(body, 'toolConfig');
  const calling = config && findMember(config, 'functionCallingConfig');
  if (!calling) return { tools };
  const mode = calling.mode?.toUpperCase() ?? 'AUTO';
  return applyMode(mode, findMember(calling, 'allowedFunctionNames') ?? [], tools);
}

function applyMode(mode: string, names: readonly string[], tools: Tool[]): ToolOptions {
  const [only, ...others] = names;
  const allowed = new Set(names);
  const offered =
    allowed.size === 0 ? tools : tools.filter((tool) => tool.type === 'native' || allowed.has(tool.name));
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
      return refuse('toolConfig.functionCallingConfig.mode', 'must be one of AUTO, ANY, NONE, VALIDATED');
  }
}
