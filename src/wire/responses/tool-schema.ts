import { type Static, Type } from 'typebox';
import { lenient } from '../body/schema-notes.ts';
import { anyObject, carried, maybe, open } from '../body/schema-parts.ts';

// The tools of the format, which requests and items of their conversation list.

export const name = Type.String({ minLength: 1 });
/** Members that exist only in this format. */
const keptFields = { allowed_callers: carried, async: carried, output_schema: carried };
const functionTool = Type.Object(
  {
    type: Type.Literal('function'),
    name,
    description: maybe(Type.String()),
    parameters: maybe(anyObject),
    strict: maybe(Type.Boolean()),
    defer_loading: maybe(Type.Boolean()),
    ...keptFields,
  },
  { ...open, title: 'ResponsesFunctionTool' },
);
const customTool = Type.Object(
  {
    type: Type.Literal('custom'),
    name,
    description: maybe(Type.String()),
    format: maybe(anyObject),
    defer_loading: Type.Optional(lenient(Type.Boolean())),
    ...keptFields,
  },
  { ...open, title: 'ResponsesCustomTool' },
);
const callableTool = Type.Union([functionTool, customTool]);
const namespace = Type.Object(
  {
    type: Type.Literal('namespace'),
    name,
    description: Type.Optional(lenient(Type.String())),
    tools: Type.Array(callableTool),
  },
  { ...open, title: 'ResponsesNamespace' },
);
export const nativeTool = Type.Object(
  { type: Type.String({ minLength: 1 }) },
  { ...open, title: 'ResponsesNativeTool' },
);
const tool = Type.Union([...callableTool.anyOf, namespace, nativeTool]);
/** The most tools of one list, and of all lists of a request, each tool counted once. */
export const MOST_TOOLS = 10_000;
export const toolList = Type.Array(tool, { maxItems: MOST_TOOLS });

export type ResponsesTool = Static<typeof tool>;
export type ResponsesCallable = Static<typeof callableTool>;
export type ResponsesNamespace = Static<typeof namespace>;
