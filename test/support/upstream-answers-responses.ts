import type { JsonObject } from '#base';
import type { AnswerEvent, Filled } from './upstream-answers.ts';

/** A complete answer of a Responses provider. */
export function toResponse(filled: Filled, model: string): JsonObject {
  return { ...headOf(filled, model), status: 'completed', output: toItems(filled), ...usageOf(filled) };
}

function headOf({ plan, truth }: Filled, model: string): JsonObject {
  return {
    id: plan.id ?? `resp_mock${truth.number}`,
    object: 'response',
    created_at: 1_700_000_000,
    model,
    error: null,
    incomplete_details: null,
    parallel_tool_calls: true,
  };
}

function usageOf({ plan, truth, tokens }: Filled): { usage?: JsonObject } {
  if (plan.usage === null) return {};
  const { inputTokens } = truth;
  const usage = {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: tokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + tokens,
  };
  return { usage: plan.usage ?? usage };
}

function toItems({ plan, truth, deltas }: Filled): JsonObject[] {
  const items: JsonObject[] = [];
  const id = (kind: string): string => `${kind}_mock${truth.number}_${items.length}`;
  if (plan.reasoning !== undefined) {
    const summary = [{ type: 'summary_text', text: plan.reasoning }];
    items.push({ type: 'reasoning', id: id('rs'), summary, encrypted_content: 'mock-encrypted' });
  }
  if (deltas.length > 0) {
    const content = [{ type: 'output_text', text: deltas.join(''), annotations: [], logprobs: [] }];
    items.push({ type: 'message', id: id('msg'), role: 'assistant', status: 'completed', content });
  }
  for (const call of plan.toolCalls ?? []) {
    const called = { status: 'completed', call_id: call.id, name: call.name };
    if (call.code !== undefined)
      items.push({ type: 'custom_tool_call', id: id('ctc'), ...called, input: call.code });
    else
      items.push({ type: 'function_call', id: id('fc'), ...called, arguments: JSON.stringify(call.input) });
  }
  return items;
}

/** The same answer as events. */
export function toResponseEvents(filled: Filled, model: string): AnswerEvent[] {
  const events: AnswerEvent[] = [];
  const add = (type: string, fields: JsonObject, tokens = 0): void => {
    const data = JSON.stringify({ type, sequence_number: events.length, ...fields });
    events.push({ event: type, data, tokens });
  };
  const head = headOf(filled, model);
  const open = { ...head, status: 'in_progress', output: [], usage: null };
  add('response.created', { response: open });
  add('response.in_progress', { response: open });
  const items = toItems(filled);
  items.forEach((item, index) => {
    const place = { output_index: index, item_id: item['id'] ?? '' };
    if (item['type'] === 'reasoning') addReasoning(item, place);
    else if (item['type'] === 'message') addMessage(item, place);
    else addCall(item, place);
    add('response.output_item.done', { output_index: index, item });
  });
  add('response.completed', {
    response: { ...head, status: 'completed', output: items, ...usageOf(filled) },
  });
  return events;

  function addReasoning(item: JsonObject, place: JsonObject): void {
    add('response.output_item.added', { ...place, item: { ...item, summary: [], encrypted_content: '' } });
    const part = { ...place, summary_index: 0 };
    add('response.reasoning_summary_part.added', { ...part, part: { type: 'summary_text', text: '' } });
    add('response.reasoning_summary_text.delta', { ...part, delta: filled.plan.reasoning ?? '' }, 1);
    add('response.reasoning_summary_text.done', { ...part, text: filled.plan.reasoning ?? '' });
  }

  function addMessage(item: JsonObject, place: JsonObject): void {
    add('response.output_item.added', { ...place, item: { ...item, status: 'in_progress', content: [] } });
    const part = { ...place, content_index: 0 };
    const empty = { type: 'output_text', text: '', annotations: [] };
    add('response.content_part.added', { ...part, part: empty });
    for (const delta of filled.deltas) add('response.output_text.delta', { ...part, delta }, 1);
    add('response.output_text.done', { ...part, text: filled.deltas.join('') });
    add('response.content_part.done', { ...part, part: { ...empty, text: filled.deltas.join('') } });
  }

  function addCall(item: JsonObject, place: JsonObject): void {
    const isCustom = item['type'] === 'custom_tool_call';
    const [member, stem] = isCustom
      ? ['input', 'response.custom_tool_call_input']
      : ['arguments', 'response.function_call_arguments'];
    add('response.output_item.added', { ...place, item: { ...item, status: 'in_progress', [member]: '' } });
    const text = item[member] ?? '';
    add(`${stem}.delta`, { ...place, delta: text }, 1);
    add(`${stem}.done`, { ...place, [member]: text });
  }
}
