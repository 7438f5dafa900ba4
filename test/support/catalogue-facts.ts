import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseJson } from '#base';

/** Facts about a model at a provider, as far as tests compare them. */
interface ModelFacts {
  cost?: Record<string, number>;
  status?: 'alpha' | 'beta' | 'deprecated';
}

const PATH = fileURLToPath(new URL('../../../shared/catalog/facts.json', import.meta.url));

export const skipWithoutFacts = existsSync(PATH)
  ? false
  : 'the facts are not beside this checkout (../shared/catalog)';

/** Our providers for a provider of the facts, if their names differ. */
const PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  azure: ['azure', 'azure-anthropic'],
  'google-vertex-anthropic': ['google-vertex'],
};

/** Each model of the facts, with the providers that may serve it here. */
export function listFacts(): { providers: readonly string[]; id: string; facts: ModelFacts }[] {
  const text = readFileSync(PATH, 'utf8');
  const all = parseJson(text) as unknown as Record<string, { models: Record<string, ModelFacts> }>;
  return Object.entries(all).flatMap(([provider, { models }]) =>
    Object.entries(models).map(([id, facts]) => ({
      providers: PROVIDERS[provider] ?? [provider],
      id,
      facts,
    })),
  );
}

const RETIRED_BY_AZURE =
  'retired or no longer listed: articles/foundry/openai/includes/concepts-model-retirement-schedule-content.md of ' +
  'https://github.com/MicrosoftDocs/azure-ai-docs (read 2026-11-23)';
const PROFILE_ONLY = 'InvokeModel and Converse take only its inference profiles, which are in the catalogue';
const MANTLE = 'served by bedrock-mantle, an endpoint that the cloud bedrock does not call';
const AUDIO = 'generates or reads audio in a way that its protocol here does not support';
const CLASSIFIER = 'classifies or checks texts and is not a model for conversations';
const OWN_API = 'has an API of its own, which is not one of the formats';
const NO_PRICE = 'the facts have no price';
const DEPRECATED = 'was deprecated when it could have been added';
const NO_EMBEDDINGS = 'embeddings at an address that this provider file does not have';

/** Models of the facts that the catalogue leaves out: `provider/id` with `*` for anything, and the reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'alibaba/qwen*-omni-*': AUDIO,
  'alibaba/qwen2-5-omni-7b': AUDIO,
  'alibaba/qwen3-asr-flash': AUDIO,
  'alibaba/qwen3-livetranslate-*': AUDIO,
  'alibaba/qwen-mt-*': 'requires translation_options, which no client format has',
  'alibaba/qwen-vl-ocr': 'requires ocr_options, which no client format has',
  'amazon-bedrock/anthropic.claude-*': PROFILE_ONLY,
  'amazon-bedrock/deepseek.r1-v1:0': PROFILE_ONLY,
  'amazon-bedrock/meta.llama4-*': PROFILE_ONLY,
  'amazon-bedrock/mistral.voxtral-*': AUDIO,
  'amazon-bedrock/openai.gpt-5.*': MANTLE,
  'amazon-bedrock/openai.gpt-oss-*b': MANTLE,
  'amazon-bedrock/xai.grok-4.3': MANTLE,
  'azure/claude-opus-4-1': RETIRED_BY_AZURE,
  'azure/codex-mini': RETIRED_BY_AZURE,
  'azure/cohere-command-r-*': RETIRED_BY_AZURE,
  'azure/cohere-embed-*': NO_EMBEDDINGS,
  'azure/deepseek-r1*': RETIRED_BY_AZURE,
  'azure/deepseek-v3-0324': RETIRED_BY_AZURE,
  'azure/deepseek-v3.1': RETIRED_BY_AZURE,
  'azure/gpt-3.5-turbo-*': RETIRED_BY_AZURE,
  'azure/gpt-4-32k': RETIRED_BY_AZURE,
  'azure/gpt-4-turbo-vision': RETIRED_BY_AZURE,
  'azure/grok-4-fast-reasoning': RETIRED_BY_AZURE,
  'azure/kimi-k2-thinking': RETIRED_BY_AZURE,
  'azure/llama-3.2-*': RETIRED_BY_AZURE,
  'azure/meta-llama-3*': RETIRED_BY_AZURE,
  'azure/mistral-large-2411': RETIRED_BY_AZURE,
  'azure/mistral-nemo': RETIRED_BY_AZURE,
  'azure/model-router': 'also bills the model it chooses, whose price is not known in advance',
  'azure/o1-mini': RETIRED_BY_AZURE,
  'azure/phi-3*': RETIRED_BY_AZURE,
  'azure/phi-4-reasoning-plus': RETIRED_BY_AZURE,
  'cloudflare-workers-ai/@cf/meta/llama-guard-3-8b': CLASSIFIER,
  'cohere/c4ai-aya-*': NO_PRICE,
  'google/gemma-4-*': NO_PRICE,
  'google-vertex/claude-*': DEPRECATED,
  'google-vertex/gemini-3.1-flash-lite-preview': DEPRECATED,
  'groq/canopylabs/orpheus-*': NO_PRICE,
  'groq/groq/compound*': NO_PRICE,
  'groq/meta-llama/llama-prompt-guard-*': CLASSIFIER,
  'huggingface/Qwen/Qwen3-Embedding-*': NO_EMBEDDINGS,
  'inception/mercury-edit-2': 'edits code at an endpoint of its own',
  'nebius/*-fast': DEPRECATED,
  'novita-ai/deepseek/deepseek-ocr*': 'reads scanned documents and is not a model for conversations',
  'novita-ai/paddlepaddle/paddleocr-vl': 'reads scanned documents and is not a model for conversations',
  'novita-ai/qwen/qwen-mt-plus': 'requires translation_options, which no client format has',
  'novita-ai/qwen/qwen3-omni-*': AUDIO,
  'nvidia/baai/bge-m3': NO_EMBEDDINGS,
  'nvidia/black-forest-labs/*': OWN_API,
  'nvidia/google/google-paligemma': OWN_API,
  'nvidia/meta/esm*': OWN_API,
  'nvidia/meta/llama-guard-4-12b': CLASSIFIER,
  'nvidia/nvidia/*-detect*': OWN_API,
  'nvidia/nvidia/*-embed-*': NO_EMBEDDINGS,
  'nvidia/nvidia/*rerank*': 'reranks at an address that this provider file does not have',
  'nvidia/nvidia/*safety*': CLASSIFIER,
  'nvidia/nvidia/bevformer': OWN_API,
  'nvidia/nvidia/cosmos-*': OWN_API,
  'nvidia/nvidia/gliner-pii': CLASSIFIER,
  'nvidia/nvidia/magpie-tts-zeroshot': AUDIO,
  'nvidia/nvidia/nemotron-voicechat': AUDIO,
  'nvidia/nvidia/riva-translate-*': OWN_API,
  'nvidia/nvidia/sparsedrive': OWN_API,
  'nvidia/nvidia/streampetr': OWN_API,
  'nvidia/nvidia/studiovoice': AUDIO,
  'nvidia/nvidia/usd*': OWN_API,
  'nvidia/openai/whisper-large-v3': AUDIO,
  'nvidia/qwen/qwen-image*': OWN_API,
  'openai/chatgpt-image-latest': NO_PRICE,
  'openai/*-deep-research': 'shut down on 2026-07-23: https://developers.openai.com/api/docs/deprecations',
  'perplexity/sonar-deep-research': 'bills citation tokens, which no usage part counts',
  'scaleway/bge-multilingual-gemma2': NO_EMBEDDINGS,
  'scaleway/voxtral-small-24b-2507': AUDIO,
  'scaleway/whisper-large-v3': AUDIO,
  'togetherai/pearl-ai/gemma-4-31b-it': 'a second offer of gemma-4-31b-it at the same provider',
  'xai/grok-imagine-image-quality': NO_PRICE,
  'xiaomi/mimo-v2-omni': DEPRECATED,
};
