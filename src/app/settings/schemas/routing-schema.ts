import { STRATEGIES, WEIGHTS } from '#accounts';
import { experimentsSchema } from './experiments-schema.ts';
import { mirrorsSchema } from './mirrors-schema.ts';
import { Type } from 'typebox';

/** `routing` of the configuration. */
export const routingSchema = Type.Optional(
  Type.Object(
    {
      adaptive: Type.Optional(
        Type.Boolean({
          description:
            'Whether failed calls are repeated and slow or silent providers avoided. Default: true.',
        }),
      ),
      strategy: Type.Optional(
        Type.Enum([...STRATEGIES], {
          description:
            'Which provider comes first: the cheapest that is not much slower than others (balanced, the default), the cheapest, the one with the shortest time to the first event (latency), with the most tokens per second (throughput), or with the fewest failures lately (uptime).',
        }),
      ),
      weights: Type.Optional(
        Type.Record(Type.String(), WEIGHTS, {
          description: 'By the id of a model: how often each of its providers comes first.',
        }),
      ),
      experiments: experimentsSchema,
      mirrors: mirrorsSchema,
      hedging: Type.Optional(
        Type.Boolean({
          description:
            'Whether the next provider is called, too, while one is silent for longer than usual; both may bill. Default: true.',
        }),
      ),
    },
    { additionalProperties: false, description: 'Which provider answers a request.' },
  ),
);
