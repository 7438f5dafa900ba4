import { Type, type Static } from 'typebox';
import { usdSchema } from './usd.ts';

const namePattern = '^[a-z0-9_*]{1,64}$';
const kindPattern = '^[\\w.:*-]{1,60}$';
/**
 * The unit a hosted tool is charged by: uses, answers that used it, containers, time, or only the tokens it reads and
 * writes.
 */
const TOOL_MEASURES = ['call', 'prompt', 'container', 'hour', 'tokens'] as const;

const hostedToolSchema = Type.Object(
  {
    tool: Type.String({
      pattern: namePattern,
      description: 'The tool’s type without its date, such as web_search; * matches any letters.',
    }),
    models: Type.Optional(
      Type.Array(Type.String({ pattern: '^[\\w.:/*-]{1,200}$' }), {
        minItems: 1,
        description: 'Models the entry applies to; * matches any letters. All models by default.',
      }),
    ),
    per: Type.Optional(
      Type.Enum([...TOOL_MEASURES], {
        description:
          'The unit charged: each call, each prompt that used it, each container, each hour, or tokens alone.',
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
      Type.String({ pattern: kindPattern, description: 'The kind used for a request that names none.' }),
    ),
    most: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: 'How many units are held if the caller sets no limit.',
      }),
    ),
    bound: Type.Optional(
      Type.Boolean({
        description: 'Sends `most` as the limit if the caller sets none and the format has one.',
      }),
    ),
    leastMinutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 60,
        description: 'The minimum time charged when the price is per hour.',
      }),
    ),
    freeWith: Type.Optional(
      Type.Array(Type.String({ pattern: '^[a-z0-9_]{1,64}$' }), {
        minItems: 1,
        description: 'Free beside tool types of this date or later.',
      }),
    ),
    always: Type.Optional(Type.Boolean({ description: 'Whether every request uses it, requested or not.' })),
    refused: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'Why requests for it are refused.' }),
    ),
  },
  { additionalProperties: false },
);

/** Prices of hosted tools: the first entry that matches a tool and a model counts. */
export const hostedToolsSchema = Type.Array(hostedToolSchema, {
  description: 'Prices of tools that run at the provider; the first matching entry counts.',
});

export type HostedToolEntry = Static<typeof hostedToolSchema>;
export type ToolMeasure = (typeof TOOL_MEASURES)[number];
