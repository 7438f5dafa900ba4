import type { Mapping, Model, ModelEntry } from '#catalogue';
import { type Static, Type } from 'typebox';
import { supportsOperation, describeListed } from '#catalogue';

const limit = Type.Optional(Type.Integer({ description: 'Absent if unknown.' }));

/** A model as Google's API describes it. */
export const googleModelSchema = Type.Object(
  {
    name: Type.String({ description: '`models/` and the id that `GET /v1/models` lists.' }),
    displayName: Type.String(),
    description: Type.String(),
    inputTokenLimit: limit,
    outputTokenLimit: limit,
    supportedGenerationMethods: Type.Array(Type.String(), {
      description: 'The methods of this API that the model supports; empty if it does not generate text.',
    }),
    thinking: Type.Boolean(),
  },
  { title: 'GoogleModel' },
);

type GoogleModel = Static<typeof googleModelSchema>;

/** What is described: as for `describeListed`. */
interface Described {
  model: Model;
  mappings: readonly Mapping[];
  isPinned?: boolean;
}

/** A listed model in Google's format. */
export function describeGoogleModel({ isPinned = false, ...listed }: Described, now: number): GoogleModel {
  const entry = describeListed(listed, { mapped: isPinned, now });
  const generates = listed.mappings.some((mapping) => supportsOperation(mapping, 'generations'));
  return {
    name: `models/${entry.id}`,
    displayName: entry.display_name,
    description: entry.description,
    ...describeLimits(entry),
    supportedGenerationMethods: generates ? ['generateContent', 'countTokens'] : [],
    thinking: entry.providers.some(({ reasoning }) => reasoning),
  };
}

function describeLimits({
  context_length: input,
  max_output: output,
}: ModelEntry): Pick<GoogleModel, 'inputTokenLimit' | 'outputTokenLimit'> {
  return { ...(input > 0 && { inputTokenLimit: input }), ...(output > 0 && { outputTokenLimit: output }) };
}
