import type { JsonObject } from '#base';
import type { NativeTool } from '#canonical';
import { refuseFeature } from '../errors/refuse-feature.ts';
import { textOf } from '../body/read-answer.ts';
import type { Members } from '../body/unchecked.ts';

/** A client-run tool of Anthropic's as an ordinary function. */
interface BuiltInTool {
  name: string;
  description: string;
  parameters: JsonObject;
}

const text = { type: 'string' };
const integer = { type: 'integer' };
const viewRange = { type: 'array', items: integer, minItems: 2, maxItems: 2 };

const BASH: BuiltInTool = {
  name: 'bash',
  description: 'Run a command in a persistent bash session; restart: true starts a new session instead.',
  parameters: {
    type: 'object',
    properties: { command: text, restart: { type: 'boolean' } },
  },
};

const TEXT_EDITOR: BuiltInTool = {
  name: 'str_replace_based_edit_tool',
  description: 'View, create and edit text files.',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert'] },
      path: { ...text, description: 'Absolute path of the file or directory.' },
      view_range: {
        ...viewRange,
        description: 'For view: first and last line; -1 is the last line of the file.',
      },
      file_text: { ...text, description: 'For create: the content of the file.' },
      old_str: {
        ...text,
        description: 'For str_replace: the text to replace, which must occur exactly once.',
      },
      new_str: { ...text, description: 'For str_replace: the new text.' },
      insert_line: {
        ...integer,
        description: 'For insert: the line after which to insert; 0 is the beginning.',
      },
      insert_text: { ...text, description: 'For insert: the text to insert.' },
    },
    required: ['command', 'path'],
  },
};

const MEMORY: BuiltInTool = {
  name: 'memory',
  description: 'Read and keep notes in the /memories directory across conversations.',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'] },
      path: { ...text, description: 'Path below /memories.' },
      view_range: viewRange,
      file_text: text,
      old_str: text,
      new_str: text,
      insert_line: integer,
      insert_text: text,
      old_path: { ...text, description: 'For rename: the present path.' },
      new_path: { ...text, description: 'For rename: the new path.' },
    },
    required: ['command'],
  },
};

const KNOWN: readonly [prefix: string, tool: BuiltInTool][] = [
  ['bash_', BASH],
  ['text_editor_', TEXT_EDITOR],
  ['memory_', MEMORY],
];

/** Client-run tools that no function schema can describe. */
const INEXPRESSIBLE = ['computer_', 'browser_'];

/**
 * Converts a native Messages tool to a function. Server tools return nothing: other providers have no such server, and
 * tool search is needless where every tool is sent eagerly.
 */
export function findBuiltInTool(tool: NativeTool): BuiltInTool | undefined {
  const value: Members<{ type: string }> = tool.value;
  const type = textOf(value.type);
  if (INEXPRESSIBLE.some((prefix) => type.startsWith(prefix)))
    return refuseFeature(`the tool type ${type}`, 'tools');
  const known = KNOWN.find(([prefix]) => type.startsWith(prefix))?.[1];
  return known && { ...known, name: tool.name ?? known.name };
}
