/** A refusal as a provider sends it. */
export interface ProviderRefusal {
  name: string;
  status: number;
  /** The content type. */
  type: string;
  text: string;
}

export const json = (name: string, status: number, body: object): ProviderRefusal => ({
  name,
  status,
  type: 'application/json',
  text: JSON.stringify(body),
});

export const openai = (message: string, param: string | null, code: string | null): object => ({
  error: { message, type: 'invalid_request_error', param, code },
});

const anthropic = (type: string, message: string): object => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
});

/** Another mapping may serve what these refuse: bodies of OpenAI and of servers that speak its format. */
export const OPENAI_REFUSALS: readonly ProviderRefusal[] = [
  json(
    '404',
    404,
    openai(
      'The model `route-model` does not exist or you do not have access to it.',
      null,
      'model_not_found',
    ),
  ),
  {
    name: '413',
    status: 413,
    type: 'text/html',
    text: '<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n',
  },
  json(
    'context',
    400,
    openai(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9012 tokens. Please reduce the length of the messages.",
      'messages',
      'context_length_exceeded',
    ),
  ),
  json('context-vllm', 400, {
    object: 'error',
    message:
      "This model's maximum context length is 8192 tokens. However, you requested 9112 tokens (9012 in the messages, 100 in the completion). Please reduce the length of the messages or completion.",
    type: 'BadRequestError',
    param: null,
    code: 400,
  }),
  json('409', 409, {
    error: {
      message: 'The resource was updated by another request. Please try again.',
      type: 'conflict_error',
      param: null,
      code: null,
    },
  }),
  json('422', 422, {
    detail: [
      {
        type: 'extra_forbidden',
        loc: ['body', 'stream_options'],
        msg: 'Extra inputs are not permitted',
        input: {},
      },
    ],
  }),
  json(
    'parameter',
    400,
    openai(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_tokens',
      'unsupported_parameter',
    ),
  ),
  json(
    'value',
    400,
    openai(
      "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
      'temperature',
      'unsupported_value',
    ),
  ),
];

/** The same of Anthropic. */
export const ANTHROPIC_REFUSALS: readonly ProviderRefusal[] = [
  json('404', 404, anthropic('not_found_error', 'model: route-model')),
  json('413', 413, anthropic('request_too_large', 'Request exceeds the maximum size')),
  json(
    'context',
    400,
    anthropic('invalid_request_error', 'prompt is too long: 208656 tokens > 200000 maximum'),
  ),
  json(
    'context-output',
    400,
    anthropic(
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 198000 + 8192 > 200000, decrease input length or `max_tokens` and try again',
    ),
  ),
  json(
    '409',
    409,
    anthropic('conflict_error', 'The resource was updated by another request. Please try again.'),
  ),
  json('422', 422, anthropic('invalid_request_error', 'The request could not be processed.')),
  json(
    'parameter',
    400,
    anthropic('invalid_request_error', 'context_management: Extra inputs are not permitted'),
  ),
  json(
    'output',
    400,
    anthropic(
      'invalid_request_error',
      'max_tokens: 32000 > 4096, which is the maximum allowed number of output tokens for claude-3-opus-20240229',
    ),
  ),
];

const google = (message: string): object => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } });

/** The same of Google. */
export const GOOGLE_REFUSALS: readonly ProviderRefusal[] = [
  json(
    'context',
    400,
    google('The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).'),
  ),
  json('parameter', 400, google('Invalid JSON payload received. Unknown name "google": Cannot find field.')),
];

/** The same of Bedrock. */
export const BEDROCK_REFUSALS: readonly ProviderRefusal[] = [
  json('context', 400, { message: 'Input is too long for requested model.' }),
  json('output', 400, { message: 'The maximum tokens you requested exceeds the model limit of 32768' }),
  json('parameter', 400, {
    message:
      'Malformed input request: #: extraneous key [chat_id] is not permitted, please reformat your input and try again.',
  }),
];

/** What no other mapping would serve either: the fault is the caller's. */
export const CALLER_FAULTS: readonly ProviderRefusal[] = [
  json(
    'message',
    400,
    openai(
      "Invalid 'messages[0].content': string too short. Expected a string with minimum length 1, but got an empty string instead.",
      'messages[0].content',
      'string_below_min_length',
    ),
  ),
  json(
    'schema',
    400,
    openai(
      "Invalid schema for function 'search': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"None\"'.",
      'tools[0].function.parameters',
      'invalid_function_parameters',
    ),
  ),
  json(
    'length',
    400,
    openai(
      "Invalid 'messages[10].tool_calls[0].id': string too long. Expected a string with maximum length 64, but got a string with length 116 instead.",
      'messages[10].tool_calls[0].id',
      'string_above_max_length',
    ),
  ),
  json(
    'image',
    400,
    openai(
      'You uploaded an unsupported image. Please make sure your image is valid.',
      'messages[0].content[1].image_url',
      'invalid_image_format',
    ),
  ),
];
