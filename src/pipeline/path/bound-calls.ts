import type { CanonicalRequest } from '#canonical';
import { GatewayError } from '#errors';
import { INNER_LIMITS, describeExcess, measureAtOnce } from '../request/json-limits.ts';

/** Shorter arguments parse fast, whatever they contain. */
const SHORT_CHARACTERS = 64 * 1024;

/**
 * Refuses tool calls whose arguments hold so much JSON text that parsing it for another format would block other
 * requests. Their depth is bounded like the body's.
 */
export function boundCalls({ turns }: CanonicalRequest): void {
  let characters = 0;
  for (const { blocks } of turns)
    for (const block of blocks)
      if (block.type === 'tool-call' && 'json' in block.input) characters += block.input.json.length;
  if (characters > SHORT_CHARACTERS) boundTexts(turns);
}

function boundTexts(turns: CanonicalRequest['turns']): void {
  let [values, names] = [0, 0];
  for (const { blocks } of turns) {
    for (const block of blocks) {
      if (block.type !== 'tool-call' || !('json' in block.input) || block.custom) continue;
      const size = measureAtOnce(Buffer.from(block.input.json), INNER_LIMITS);
      values += size.values;
      names += size.names;
      const excess = describeExcess({ ...size, values, names }, INNER_LIMITS);
      if (excess !== undefined)
        throw new GatewayError('invalid_request', `the arguments of tool calls have ${excess} together`);
      if (size.depth > INNER_LIMITS.depth)
        throw new GatewayError(
          'body_too_deep',
          `the arguments of the tool call ${JSON.stringify(block.id.slice(0, 100))} nest arrays and objects more than ${INNER_LIMITS.depth} deep`,
        );
    }
  }
}
