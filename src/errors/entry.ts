/** Who caused an error. Decides the finish reason, billing, provider health and log level. */
export type Blame = 'client' | 'account' | 'upstream' | 'gateway';

/** `error.type` as the Anthropic Messages API names it. */
export type MessagesErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'billing_error'
  | 'permission_error'
  | 'not_found_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'api_error'
  | 'timeout_error'
  | 'overloaded_error';

export interface ErrorEntry {
  /** HTTP status for every format without its own. */
  status: number;
  /** HTTP status on the Messages endpoint, where Anthropic's differs (529). */
  messagesStatus?: number;
  messagesType: MessagesErrorType;
  /** `error.details.error_code` as the Anthropic Messages API names it, where clients act on it. */
  messagesCode?: string;
  /** `error.type` as the OpenAI API names it; `error.code` is the key of this table. */
  openaiType: string;
  blame: Blame;
  /** What in the request is at fault unless an error names it: a header, or a part of the path, query or body; `''` if nothing is. */
  param: string;
  /** The description in `docs/errors.md`. */
  meaning: string;
}

const CLIENT_TYPES: Readonly<Record<number, MessagesErrorType>> = {
  404: 'not_found_error',
  408: 'timeout_error',
  410: 'not_found_error',
  413: 'request_too_large',
};

export const client = (status: number, meaning: string): ErrorEntry => ({
  status,
  messagesType: CLIENT_TYPES[status] ?? 'invalid_request_error',
  openaiType: 'invalid_request_error',
  blame: 'client',
  param: 'body',
  meaning,
});

export const credential = (status: number, meaning: string): ErrorEntry => ({
  status,
  messagesType: status === 401 ? 'authentication_error' : 'permission_error',
  openaiType: status === 401 ? 'authentication_error' : 'permission_error',
  blame: 'client',
  param: 'authorization',
  meaning,
});

export const billing = (meaning: string): ErrorEntry => ({
  status: 402,
  messagesType: 'billing_error',
  openaiType: 'billing_error',
  blame: 'account',
  param: 'authorization',
  meaning,
});

export const upstream = (status: number, messagesType: MessagesErrorType, meaning: string): ErrorEntry => ({
  status,
  messagesType,
  openaiType: messagesType === 'rate_limit_error' ? 'rate_limit_error' : 'api_error',
  blame: 'upstream',
  param: '',
  meaning,
});

/** The same for a part of the request other than the usual one. */
export const at = (param: string, entry: ErrorEntry): ErrorEntry => ({ ...entry, param });
