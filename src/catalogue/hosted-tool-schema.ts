import { Type, type Static } from 'typebox';
import { usdSchema } from './usd-schema.ts';

const namePattern = '^[a-z0-9_*]{1,64}$';
const kindPattern = '^[\\w.:*-]{1,60}$';
/** What a hosted tool is charged by: uses, answers that used it, containers, time, or nothing but the tokens it reads and writes. */
export const TOOL_MEASURES = ['call', 'prompt', 'container', 'hour', 'tokens'] as const;

const hostedToolSchema = Type.Object(
  {
    tool: Type.String({
      pattern: namePattern,
      description: 'The tool’s type without its date, such as web_search; * stands for any letters.',
    }),
    models: Type.Optional(
      Type.Array(Type.String({ pattern: '^[\\w.:/*-]{1,200}$' }), {
        minItems: 1,
        description: 'Models the entry is for; * stands for any letters. All models unless given.',
      }),
    ),
    per: Type.Optional(
      Type.Enum([...TOOL_MEASURES], {
        description:
          'What is charged: each call, each prompt that used it, each container, each hour, or tokens alone.',
      }),
    ),
    usd: Type.Optional(
      Type.Union(
        [usdSchema, Type.Record(Type.String({ pattern: kindPattern }), usdSchema, { minProperties: 1 })],
        {
          description: 'USD per unit, or by kind, such as a memory size.',
        },
      ),
    ),
    default: Type.Optional(
      Type.String({ pattern: kindPattern, description: 'The kind of a request that names none.' }),
    ),
    most: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: 'How many units are held for where the caller sets no limit.',
      }),
    ),
    bound: Type.Optional(
      Type.Boolean({
        description: 'Sends `most` as the limit where the caller sets none and the format has one.',
      }),
    ),
    leastMinutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 60, description: 'The least time charged where it is per hour.' }),
    ),
    freeWith: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z0-9_]{1,64}$' }), {
        minItems: 1,
        description: 'Tool types of this date or later beside which it costs nothing.',
      }),
    ),
    always: Type.Optional(Type.Boolean({ description: 'Whether every request uses it, asked for or not.' })),
    refused: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Why requests for it are refused.' }),
    ),
  },
  { additionalProperties: false },
);

/** Prices of hosted tools: the first entry that fits a tool and a model counts. */
export const hostedToolsSchema = Type.Array(hostedToolSchema, {
  description: 'Prices of tools that run at the provider; the first entry that fits counts.',
});

export type HostedToolEntry = Static<typeof hostedToolSchema>;
export type ToolMeasure = (typeof TOOL_MEASURES)[number];
