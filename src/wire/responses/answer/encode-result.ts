import type { JsonObject } from '#base';
import { isArray, isObject } from '../../body/read-field.ts';
import type { AnswerItem, ReadAnswer } from './answer-schema.ts';
import type { Block, Extra, GenerationResult, Usage } from '#canonical';
import type { AnswerFacts, ReplyContext } from '../../contract.ts';
import { encodeUsage } from './usage.ts';
import { ECHOED_FIELDS } from '../fields.ts';
import { OutputList, fillItem, showsAnything } from './output-list.ts';

/** Writes a complete generation as a `response`. */
export function encodeResult(result: GenerationResult, context: ReplyContext): ReadAnswer {
  const output = createOutput(context);
  const kept: ReadAnswer = result.extra?.responses ?? {};
  if (isArray(kept.output)) for (const item of kept.output.filter(isObject)) output.add(item);
  else for (const block of result.blocks) addBlock(output, block);
  const end = output.close(result.finish);
  const { usage, extra } = result;
  return describeEnd(context, { ...end, output: output.items, usage, extra });
}

function addBlock(output: OutputList, block: Block): void {
  if (!showsAnything(block)) return;
  const placed = output.open(block);
  if (placed) fillItem(placed.item, block);
}

export function createOutput({ answerId, echo }: ReplyContext): OutputList {
  return new OutputList(answerId, echo?.placedNames);
}

/** The state of a response; its other members repeat the request. */
interface ResponseState {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  error?: JsonObject;
  incomplete_details?: Exclude<ReadAnswer['incomplete_details'], undefined>;
  output: AnswerItem[];
  usage?: Usage | undefined;
  facts?: AnswerFacts | undefined;
  extra?: Extra | undefined;
}

/** The complete response with its cost; stored if the caller asked for it. */
export function describeEnd(context: ReplyContext, state: ResponseState): ReadAnswer {
  const response = encodeResponse(context, { ...state, facts: context.describe?.() });
  context.remember?.(response);
  return response;
}

export function encodeResponse(context: ReplyContext, state: ResponseState): ReadAnswer {
  const { status, error = null, incomplete_details: details = null, output, usage, facts, extra } = state;
  const { usage: leftovers }: ReadAnswer = extra?.responses ?? {};
  return {
    ...ECHOED_FIELDS,
    ...extra?.responses,
    ...context.echo?.members,
    ...findTier(extra),
    id: context.answerId,
    object: 'response',
    created_at: context.createdSeconds,
    status,
    error,
    incomplete_details: details,
    model: context.model,
    output,
    usage: usage ? encodeUsage(usage, facts, leftovers) : null,
  };
}

/** The tier that answered, which may differ from the one requested. */
function findTier(extra: Extra | undefined): ReadAnswer {
  const { service_tier: tier }: ReadAnswer = extra?.responses ?? {};
  return typeof tier === 'string' ? { service_tier: tier } : {};
}
