import type { Mapping } from '../catalogue.ts';

/** The request parameters, by their Chat Completions names, that at least one of these mappings supports. */
export function listParameters(mappings: readonly Mapping[]): string[] {
  const obeyed = new Set<string>(['max_tokens', 'max_completion_tokens', 'stream']);
  for (const mapping of mappings) addSampling(obeyed, mapping);
  for (const mapping of mappings) addAbilities(obeyed, mapping);
  return [...obeyed];
}

function addSampling(obeyed: Set<string>, { dialect }: Mapping): void {
  if (dialect.sampling !== 'none') obeyed.add('temperature').add('top_p');
  if (dialect.sampling !== 'none' && dialect.topK) obeyed.add('top_k');
  if (dialect.sampling === 'full') obeyed.add('frequency_penalty').add('presence_penalty').add('seed');
  if (dialect.maxStopSequences > 0) obeyed.add('stop');
}

function addAbilities(obeyed: Set<string>, mapping: Mapping): void {
  const { dialect } = mapping;
  if (mapping.tools) obeyed.add('tools').add('tool_choice');
  if (mapping.tools && dialect.parallelToolCalls) obeyed.add('parallel_tool_calls');
  if (mapping.json) obeyed.add('response_format');
  if (mapping.jsonSchema) obeyed.add('structured_outputs');
  if (dialect.reasoningField !== 'none') obeyed.add('reasoning_effort');
  if (dialect.cacheMarks !== 'none') obeyed.add('cache_control');
}
