import type { FunctionTool, NativeTool, Tool, ToolChoice } from '#canonical';
import { findBuiltInTool } from '../../tools/built-in-tools.ts';
import type { CacheableEntry } from './cache-marks.ts';
import { refuseFeature } from '../../errors/refuse-feature.ts';
import type { JsonSchema } from '../../body/json-schema.ts';
import type { Members } from '../../body/unchecked.ts';
import type { EncodeContext } from './encode-context.ts';
import type { ConverseToolChoice, ConverseToolSpec } from '../schema.ts';

const EMPTY_SCHEMA = { type: 'object', properties: {} };
/** The offered tools. If the history uses tools and none are offered, they are derived from the history [D-82]. */
export function encodeTools(context: EncodeContext): CacheableEntry[] {
  const { tools, toolChoice } = context.request;
  const mustDescribe = usesTools(context);
  if (toolChoice?.type === 'none' && !mustDescribe) return [];
  const offered = tools.flatMap((tool) => encodeTool(tool, context));
  return offered.length > 0 || !mustDescribe ? offered : describeHistory(context);
}

/** Converse has no tool choice `none`: if tools must be sent, an instruction forbids their use. */
export function mustForbidTools({ request }: EncodeContext, tools: readonly CacheableEntry[]): boolean {
  return tools.length > 0 && (request.toolChoice?.type === 'none' || request.tools.length === 0);
}

/** `undefined` for auto, the default. */
export function encodeToolChoice(
  context: EncodeContext,
  isThinking: boolean,
): Members<ConverseToolChoice> | undefined {
  const choice = context.request.toolChoice;
  const mayForce = context.target.dialect.forcedToolChoice && !isThinking;
  if (choice?.type === 'native') return encodeNativeChoice(choice);
  if (choice?.type === 'any') return mayForce ? { any: {} } : { auto: {} };
  if (choice?.type === 'tool')
    return mayForce ? { tool: { name: context.names.encode(choice.name) } } : { auto: {} };
  return choice ? { auto: {} } : undefined;
}

function encodeNativeChoice({ format, value }: ToolChoice & { type: 'native' }): Members<ConverseToolChoice> {
  if (format === 'converse') return value;
  return refuseFeature('this tool_choice', 'tool_choice');
}

function usesTools({ request: { turns } }: EncodeContext): boolean {
  return turns.some(({ blocks }) => blocks.some(({ type }) => type === 'tool-call'));
}

function encodeTool(tool: Tool, context: EncodeContext): CacheableEntry[] {
  if (tool.type === 'custom') return refuseFeature(`the custom tool ${tool.name}`, 'tools');
  if (tool.type === 'native') return encodeNativeTool(tool, context);
  const block = { toolSpec: encodeSpec(tool, context) };
  return [tool.cache ? { block, mark: tool.cache } : { block }];
}

function encodeSpec(tool: FunctionTool, { names, dialect }: EncodeContext): Members<ConverseToolSpec> {
  const description = tool.description?.trim() ?? '';
  const schema: Members<JsonSchema> = tool.inputSchema ?? EMPTY_SCHEMA;
  return {
    name: names.encode(tool.name),
    ...(description !== '' && { description }),
    inputSchema: { json: schema.type === 'object' ? schema : { ...schema, type: 'object' } },
    ...(tool.strict === true && dialect.strictTools && { strict: true }),
  };
}

function encodeNativeTool(tool: NativeTool, { names }: EncodeContext): CacheableEntry[] {
  if (tool.format === 'converse') return [{ block: tool.value }];
  if (tool.format !== 'messages') return refuseFeature(`the tool ${tool.name ?? 'without a name'}`, 'tools');
  const known = findBuiltInTool(tool);
  if (!known) return [];
  const { name, description, parameters } = known;
  return [
    { block: { toolSpec: { name: names.encode(name), description, inputSchema: { json: parameters } } } },
  ];
}

function describeHistory({ request: { turns }, names }: EncodeContext): CacheableEntry[] {
  const called = turns.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === 'tool-call' ? [block.name] : [])),
  );
  return [...new Set(called)].map((name) => ({
    block: { toolSpec: { name: names.encode(name), inputSchema: { json: EMPTY_SCHEMA } } },
  }));
}
