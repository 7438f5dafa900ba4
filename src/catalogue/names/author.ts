/** Authors of models in OpenRouter's names that are no providers; the others, such as `anthropic`, name the provider here. */
const AUTHORS: ReadonlySet<string> = new Set([
  'amazon',
  'baidu',
  'bytedance-seed',
  'ibm-granite',
  'inclusionai',
  'kwaipilot',
  'liquid',
  'meta-llama',
  'microsoft',
  'mistralai',
  'nousresearch',
  'qwen',
  'upstage',
  'x-ai',
  'z-ai',
]);

/** A name without its author: `meta-llama/llama-3.3-70b-instruct`. Undefined if it has none. */
export function withoutAuthor(name: string): string | undefined {
  const slash = name.indexOf('/');
  return slash !== -1 && AUTHORS.has(name.slice(0, slash).toLowerCase()) ? name.slice(slash + 1) : undefined;
}
