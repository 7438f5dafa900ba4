/** How providers word a refusal that concerns their own offer, so that another mapping may accept the request. */
interface Wording {
  provider: string;
  words: RegExp;
  /** The issue at GitHub that quotes it. */
  source: string;
}

/** Prompts and answers longer than the mapping allows. */
const OF_LENGTH: readonly Wording[] = [
  {
    provider: 'OpenAI, Azure, DeepSeek, OpenRouter, Mistral, Fireworks, vLLM, SGLang, llama.cpp',
    words: /context[ _-]?(?:length|window|limit|size)/i,
    source: 'anomalyco/opencode/issues/6071',
  },
  {
    provider: 'OpenAI, Azure',
    words: /max_(?:completion_)?tokens is too large/i,
    source: 'ChatGPTNextWeb/NextChat/issues/3195',
  },
  {
    provider: 'Anthropic, Fireworks, Ollama',
    words: /prompt (?:is )?too long/i,
    source: 'anthropics/claude-code/issues/12186',
  },
  {
    provider: 'Anthropic',
    words: /which is the maximum allowed number of output tokens/i,
    source: 'chathub-dev/chathub/issues/1222',
  },
  {
    provider: 'Google, Vertex AI',
    words: /input token count.{0,20} exceeds the maximum/i,
    source: 'google-gemini/gemini-cli/issues/6678',
  },
  { provider: 'xAI', words: /maximum prompt length is/i, source: 'cline/cline/issues/3120' },
  {
    provider: 'Hugging Face, Together',
    words: /`inputs` (?:tokens \+ `max_new_tokens` must be|must have less than)/i,
    source: 'huggingface/chat-ui/issues/340',
  },
  {
    provider: 'Hugging Face',
    words: /`max_new_tokens` must be <=/i,
    source: 'huggingface/transformers/issues/28523',
  },
  { provider: 'Alibaba', words: /range of input length should be/i, source: 'QwenLM/qwen-code/issues/98' },
  {
    provider: 'Alibaba',
    words: /range of max_tokens should be/i,
    source: 'open-webui/open-webui/issues/10507',
  },
  {
    provider: 'DeepSeek',
    words: /valid range of max_tokens is/i,
    source: 'deepseek-ai/DeepSeek-V3/issues/69',
  },
  {
    provider: 'Volcengine',
    words: /max_tokens specified in the request is not valid: integer above maximum/i,
    source: 'yiliqi78/TOKENICODE/issues/3',
  },
  {
    provider: 'Groq, Cerebras',
    words: /reduce the length of the (?:input )?messages/i,
    source: 'cline/cline/issues/5140',
  },
  {
    provider: 'Groq',
    words: /max_(?:completion_)?tokens`? must be less than or equal to/i,
    source: 'anomalyco/opencode/issues/1000',
  },
  {
    provider: 'Cohere',
    words: /too many tokens: total number of tokens/i,
    source: 'cohere-ai/sandbox-topically/issues/4',
  },
  { provider: 'Bedrock', words: /input is too long/i, source: 'aws-samples/bedrock-chat/issues/95' },
  {
    provider: 'Bedrock',
    words: /maximum tokens you requested exceeds the model limit/i,
    source: 'charmbracelet/crush/issues/946',
  },
  {
    provider: 'vLLM',
    words: /longer than the maximum model length/i,
    source: 'xorbitsai/inference/issues/3785',
  },
  {
    provider: 'SGLang, Poolside',
    words: /exceeds the maximum allowed (?:input )?length/i,
    source: 'sgl-project/sglang/issues/4048',
  },
  { provider: 'Moonshot', words: /exceeded model token limit/i, source: 'anomalyco/opencode/pull/35920' },
  {
    provider: 'Z.ai',
    words: /tokens in request more than max tokens allowed/i,
    source: 'anomalyco/opencode/pull/35920',
  },
];

/** Models, parameters and features that the mapping does not have. */
const OF_FEATURES: readonly Wording[] = [
  {
    provider: 'OpenAI',
    words: /unsupported[ _](?:parameter|value)/i,
    source: 'anomalyco/opencode/issues/37964',
  },
  {
    provider: 'OpenAI, Azure',
    words: /unrecognized (?:request )?(?:argument|parameter|field|key)/i,
    source: 'openinterpreter/openinterpreter/issues/103',
  },
  {
    provider: 'OpenAI, Google',
    words: /unknown[ _](?:parameter|field|name)/i,
    source: 'google-gemini/gemini-cli/issues/13972',
  },
  { provider: 'Anthropic, Mistral', words: /extra inputs/i, source: 'anthropics/claude-code/issues/14135' },
  { provider: 'Bedrock', words: /extraneous key/i, source: 'BerriAI/litellm/issues/7416' },
  { provider: 'Groq', words: /property '[^']{1,80}' is unsupported/i, source: 'janhq/jan/issues/8136' },
  {
    provider: 'OpenAI and others',
    words: /n[o']t (?:be |currently )?support/i,
    source: 'anomalyco/opencode/issues/37964',
  },
  {
    provider: 'OpenAI and others',
    words: /model.{0,40}(?:not found|does not exist)/i,
    source: 'Aider-AI/aider/issues/2030',
  },
];

export const WORDINGS: readonly Wording[] = [...OF_LENGTH, ...OF_FEATURES];

/** Statuses that say more about a mapping than about the request. */
const STATUSES: ReadonlySet<number | undefined> = new Set([404, 405, 409, 413, 415, 422]);

/** Whether a refusal is about the mapping: another may accept the request. */
export function isOfMapping({ status, code, type, message }: Refusal): boolean {
  const text = `${code ?? ''} ${type ?? ''} ${message}`;
  return STATUSES.has(status) || WORDINGS.some(({ words }) => words.test(text));
}

interface Refusal {
  status?: number;
  code?: string;
  type?: string;
  message: string;
}
