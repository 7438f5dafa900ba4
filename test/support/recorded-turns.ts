import { parseJsonObject } from '#base';
import { type GenerationResult, collect, inputJsonOf, outputTokensOf } from '#canonical';
import { createTarget, decodeStream, openPassage } from './exchanges.ts';
import { type Recording, readRecordings, toRecordedMessages } from './recordings.ts';
import type { Turn } from './caching-provider.ts';

/** What models said in recorded answers, with the tokens that their providers counted; empty without the recordings. */
export function readRecordedTurns(): Turn[] {
  return readRecordings().flatMap((recording) => {
    const result = decode(recording);
    return result && result.blocks.length > 0 ? [toTurn(result)] : [];
  });
}

/** Undefined for a recorded error. */
function decode(recording: Recording): GenerationResult | undefined {
  const { format, kind, text } = recording;
  const { exchange } = openPassage('messages', createTarget(format), format);
  if (kind === 'body') {
    const result = exchange.decodeResult(parseJsonObject(text) ?? {});
    return 'blocks' in result ? result : undefined;
  }
  const events = decodeStream(exchange, toRecordedMessages(recording));
  return events.at(-1)?.type === 'generation-end' ? collect(events) : undefined;
}

function toTurn({ blocks, usage }: GenerationResult): Turn {
  const textOf = (type: 'text' | 'reasoning'): string =>
    blocks.map((block) => (block.type === type ? block.text : '')).join('');
  const reasoning = textOf('reasoning');
  const toolCalls = blocks.flatMap((block) =>
    block.type === 'tool-call'
      ? [{ id: block.id, name: block.name, input: parseJsonObject(inputJsonOf(block)) ?? {} }]
      : [],
  );
  return {
    text: textOf('text') || 'Done.',
    ...(reasoning !== '' && { reasoning }),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(usage && { outputTokens: outputTokensOf(usage) }),
  };
}
