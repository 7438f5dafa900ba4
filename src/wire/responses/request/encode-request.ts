import type { Block } from '#canonical';
import { withoutAttribution } from '../../request/attribution.ts';
import type { EncodeContext } from '../../request/encode-context.ts';
import { type Body, encodeOptions, encodeToolUse } from './encode-options.ts';
import { encodeOutput } from './encode-output.ts';
import { encodeToolChoice, encodeTools } from './encode-tools.ts';
import { addMessage, addTurns } from './encode-turns.ts';
import { InputList } from './input-list.ts';
import { refuseFeature, refusePrefill } from '../../errors/refuse-feature.ts';

const FILLER: Block = { type: 'text', text: '…' };
/** Chat fields that change the answer and do not exist in this format. */
const UNSUPPORTED = ['audio', 'logit_bias', 'logprobs', 'top_logprobs'];

/** Encodes a request as a Responses body. */
export function encodeRequest(context: EncodeContext): Body {
  refuseChatOnly(context);
  const { request, dialect } = context;
  const { fields, instruction } = encodeOutput(request, dialect);
  const conversation = encodeConversation(context, instruction);
  const tools = encodeTools(context);
  const choice = request.toolChoice && encodeToolChoice(request.toolChoice, tools, context);
  return encodeOptions(context, {
    ...conversation,
    ...(tools.length > 0 && { tools, ...encodeToolUse(context, choice) }),
    ...fields,
  });
}

/** As in Chat, models without sampling drop the sampling fields instead of refusing them. */
function refuseChatOnly({ request, dialect }: EncodeContext): void {
  const { extra } = request;
  for (const field of UNSUPPORTED) {
    const value = extra?.chat?.[field];
    const isSpared = dialect.sampling === 'none' && field !== 'audio';
    if (value !== undefined && value !== false && !isSpared) refuseFeature(field, field);
  }
}

function encodeConversation(context: EncodeContext, instruction: string | undefined): Body {
  const { request, dialect } = context;
  const list = new InputList(dialect.cacheMarks);
  const instructions = addSystem(list, instruction, context);
  addTurns(list, request.turns, context);
  // OpenAI rejects an empty input.
  if (list.items.length === 0) addMessage(list, { role: 'user', blocks: [FILLER] }, context);
  const endsWithAnswer = list.items.at(-1)?.role === 'assistant';
  if (endsWithAnswer && request.origin.format !== 'responses' && !dialect.prefill) refusePrefill();
  return { ...(instructions !== undefined && { instructions }), input: list.items };
}

/**
 * Instructions are one string. They open the input instead if a prompt-cache mark, an image or the dialect needs a part,
 * or if the input would be empty, which OpenAI rejects.
 */
function addSystem(
  list: InputList,
  instruction: string | undefined,
  context: EncodeContext,
): string | undefined {
  const { request, dialect } = context;
  const system: Block[] = [...withoutAttribution(request.system)];
  if (instruction !== undefined) system.push({ type: 'text', text: instruction });
  const texts = system.filter((block) => block.type === 'text' && block.text !== '');
  const isMarked = dialect.cacheMarks === 'prompt_cache_breakpoint' && system.some((block) => block.cache);
  const isAlone = request.turns.length === 0;
  const hasMedia = system.some(({ type }) => type === 'media');
  if (!isMarked && !isAlone && !hasMedia && !dialect.refusedFields.includes('instructions')) {
    const text = texts.map((block) => (block.type === 'text' ? block.text : '')).join('\n\n');
    return text === '' ? undefined : text;
  }
  addMessage(list, { role: dialect.systemRole, blocks: system }, context);
  return undefined;
}
