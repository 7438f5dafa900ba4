import type { OutputShape } from '#canonical';

/** An instruction for the output shape, where the upstream has no field for it. */
export function instructOutput(output: OutputShape): string {
  if (output.type === 'json') return 'Answer with one JSON object and nothing else.';
  return `Answer with one JSON value and nothing else. It must satisfy this JSON Schema:\n${JSON.stringify(output.schema)}`;
}
