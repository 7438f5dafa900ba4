import { type ProviderRefusal, json, openai } from './provider-refusals.ts';

const chat = (name: string, message: string, code: string | null = null): ProviderRefusal =>
  json(name, 400, openai(message, null, code));

/** The same of other providers that speak OpenAI's format. */
export const COMPATIBLE_REFUSALS: readonly ProviderRefusal[] = [
  chat(
    'context-responses',
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    'context_length_exceeded',
  ),
  chat(
    'output-openai',
    'max_tokens is too large: 8192. This model supports at most 4096 completion tokens, whereas you provided 8192.',
  ),
  chat('argument-azure', 'Unrecognized request argument supplied: functions'),
  chat('parameter-openai', "Unknown parameter: 'verbosity'.", 'unknown_parameter'),
  chat('model-openai', 'The model `m` does not exist or you do not have access to it.'),
  json('context-xai', 400, {
    code: 'Client specified an invalid argument',
    error: "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
  }),
  chat(
    'context-together',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 80125 `inputs` tokens and 4096 `max_new_tokens`',
  ),
  json('context-tgi', 400, {
    error: 'Input validation error: `inputs` must have less than 1024 tokens. Given: 1872',
    error_type: 'validation',
  }),
  json('output-tgi', 400, {
    error: 'Input validation error: `max_new_tokens` must be <= 192. Given: 200',
    error_type: 'validation',
  }),
  chat(
    'context-alibaba',
    '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 983616]',
    'invalid_parameter_error',
  ),
  chat(
    'output-alibaba',
    '<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]',
    'invalid_parameter_error',
  ),
  chat(
    'context-deepseek',
    "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion).",
    'invalid_request_error',
  ),
  chat('output-deepseek', 'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]'),
  chat(
    'output-volcengine',
    'The parameter max_tokens specified in the request is not valid: integer above maximum value, expected a value <= 32768, but got 64000 instead.',
    'InvalidParameter',
  ),
  chat('context-groq', 'Please reduce the length of the messages or completion.', 'context_length_exceeded'),
  chat('output-groq', '`max_tokens` must be less than or equal to `16384`'),
  chat(
    'parameter-groq',
    "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
  ),
  chat(
    'context-cerebras',
    'Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000',
  ),
  json('context-mistral', 400, {
    object: 'error',
    message: 'Prompt contains 300000 tokens, too large for model with 131072 maximum context length',
    type: 'invalid_request_error',
    param: null,
    code: null,
  }),
  json('context-cohere', 400, {
    message:
      'too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try using a shorter prompt or a smaller max_tokens value.',
  }),
  chat('context-fireworks', 'The prompt is too long: 40177, model maximum context length: 32767'),
  chat('context-ollama', 'prompt too long; exceeded max context length by 4096 tokens'),
  chat('length-vllm', 'The decoder prompt (length 17772) is longer than the maximum model length of 16384.'),
  json('context-sglang', 400, {
    object: 'error',
    message: "The input (61709 tokens) is longer than the model's context length (40960 tokens).",
    type: 'BadRequestError',
    param: null,
    code: 400,
  }),
  chat('length-sglang', 'Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).'),
  chat(
    'context-openrouter',
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 141607 tokens (10535 of text input, 131072 in the output).",
  ),
  json('context-llama', 400, {
    error: {
      code: 400,
      message:
        'the request exceeds the available context size. try increasing the context size or enable context shift',
      type: 'exceed_context_size_error',
    },
  }),
  chat('context-moonshot', 'Invalid request: Your request exceeded model token limit: 262144'),
  chat('context-zai', 'tokens in request more than max tokens allowed'),
];
