import { type ErrorEntry, at, billing, client, credential, upstream } from './entry.ts';

/** Every error a caller can get. `docs/errors.md` is generated from this table. */
export const ERRORS = {
  invalid_json: client(400, 'The body is not JSON; of up to 128 KiB, the message names the line and column.'),
  invalid_utf8: client(400, 'The body is not valid UTF-8.'),
  body_too_deep: client(400, 'The body nests arrays and objects more than 128 deep.'),
  invalid_request: client(400, 'A field is missing, malformed or out of range; the message names its path.'),
  wrong_format: client(
    400,
    'The body is for another endpoint; the message names the paths and the endpoint.',
  ),
  wrong_operation: at(
    'model',
    client(400, 'The model does not serve this endpoint; the message names the one it serves.'),
  ),
  unsupported_feature: at(
    'model',
    client(400, 'No provider of the model supports a part of this request; the message names it.'),
  ),
  request_refused: client(400, 'The provider refused the request; its message is passed on.'),
  content_refused: client(400, 'The provider refused the content; its message is passed on.'),
  body_too_large: client(413, 'The body is larger than the endpoint accepts, at most 32 MiB.'),
  unsupported_media_type: at(
    'content-type',
    client(
      415,
      'The content type is not what the endpoint accepts: application/json, or multipart/form-data.',
    ),
  ),
  unsupported_encoding: at('content-encoding', client(415, 'The body is compressed; send it uncompressed.')),
  request_timeout: client(408, 'The request did not arrive in time.'),
  malformed_http: at('', client(400, 'The bytes on the connection are not an HTTP request.')),
  headers_too_large: at('', client(431, 'The request headers are larger than 64 KiB.')),
  unknown_host: at(
    'host',
    client(421, 'The `Host` of the request is not one of this gateway; see `server.hosts`.'),
  ),
  missing_credential: credential(401, 'No API key was given.'),
  invalid_credential: credential(
    401,
    'The credential is unknown, disabled, revoked, rotated, expired or deleted.',
  ),
  conflicting_credentials: credential(
    401,
    '`Authorization`, `x-api-key`, `x-goog-api-key`, `api-key` or `x-litellm-api-key` carry different keys.',
  ),
  invalid_token: at(
    'token',
    credential(401, 'The token of this link is missing, malformed, expired or not for this video.'),
  ),
  wrong_credential: credential(403, 'This kind of credential may not use this endpoint.'),
  cross_site_request: at(
    'origin',
    credential(
      403,
      'A session of the dashboard came from another site, or a sign-in from a page without TLS; the message names the header.',
    ),
  ),
  missing_scope: credential(
    403,
    'The admin key may not do this; the message names the missing scope, or says that the key is bound to one organization.',
  ),
  role_not_allowed: credential(
    403,
    'The role of the key’s member, or of the person signed in to the dashboard, does not allow this; the message names the role.',
  ),
  model_not_allowed: at(
    'model',
    credential(403, 'A policy does not allow this model; the message names the layer.'),
  ),
  object_not_allowed: at(
    'body',
    credential(
      403,
      'The body names an object in the operator’s account at a provider that this caller did not create here; the message names its place.',
    ),
  ),
  network_not_allowed: credential(
    403,
    'A policy does not allow calls from this address; the message names the layer.',
  ),
  rate_limit_exceeded: {
    status: 429,
    messagesType: 'rate_limit_error',
    openaiType: 'rate_limit_error',
    blame: 'account',
    meaning:
      'The key or its organization has reached a limit of requests, tokens or concurrency; the message names it, see `retry-after`.',
    param: 'authorization',
  },
  key_limit_reached: billing('The key has used up its own limit.'),
  project_limit_reached: billing('The project has used up its limit, in total or for this period.'),
  organization_limit_reached: billing('The organization has used up its limit for this period.'),
  credits_exhausted: billing('The organization has no credits left.'),
  plan_credits_exhausted: billing('The organization’s plan has no credits left in this billing cycle.'),
  member_budget_reached: billing('The key’s member has used up their budget.'),
  session_budget_reached: billing('The session token has used up its budget.'),
  premium_allowance_exhausted: billing('The plan’s allowance for premium models is used up for this week.'),
  model_not_found: at('model', client(404, 'The model does not exist; the message names the closest ones.')),
  previous_response_not_found: at(
    'previous_response_id',
    client(
      400,
      'The response to continue from is not stored: unknown, deleted, older than 30 days, or never stored.',
    ),
  ),
  thread_not_found: {
    ...client(
      404,
      'The thread to continue is stored at no provider that serves the model; send the whole conversation instead, as Anthropic’s SDK then does.',
    ),
    messagesCode: 'thread_not_found',
    param: 'thread.previous_message_id',
  },
  model_deactivated: at(
    'model',
    client(404, 'The model has been deactivated; the message has the date and a successor.'),
  ),
  provider_not_configured: at(
    'model',
    client(
      404,
      'The model is known, but no provider that serves it has a credential; the message says which setting is missing.',
    ),
  ),
  unpriced_model: at(
    'model',
    client(400, 'The model has no price and the operator does not allow unpriced models.'),
  ),
  unpriced_option: client(
    400,
    'A field or hosted tool of the request changes the price in a way that is not known, and the operator does not allow unpriced requests.',
  ),
  not_found: at('path', client(404, 'The address does not exist.')),
  video_not_ready: at(
    'id',
    client(409, 'The video is not finished, or has failed; the message gives its status.'),
  ),
  idempotency_mismatch: at(
    'idempotency-key',
    client(422, 'The `Idempotency-Key` was used before with a different body.'),
  ),
  content_expired: at('id', client(410, 'The provider has deleted this video.')),
  range_not_satisfiable: at('range', client(416, 'The range is outside the video.')),
  too_many_readers: {
    status: 429,
    messagesType: 'rate_limit_error',
    openaiType: 'rate_limit_error',
    blame: 'client',
    meaning:
      'This video is being downloaded, or the log is followed, too many times at once; see `retry-after`.',
    param: 'id',
  },
  method_not_allowed: at('path', client(405, 'The address does not accept this method.')),
  request_in_progress: at(
    'idempotency-key',
    client(409, 'A request with the same `Idempotency-Key` is in progress; see `retry-after`.'),
  ),
  idempotency_key_reused: at(
    'idempotency-key',
    client(422, 'The `Idempotency-Key` was used for another request within 24 hours.'),
  ),
  client_closed: at('', client(499, 'The client disconnected before the answer was complete.')),
  upstream_rate_limited: upstream(
    429,
    'rate_limit_error',
    'Every provider of the model is rate limited; see `retry-after`.',
  ),
  upstream_overloaded: {
    ...upstream(503, 'overloaded_error', 'Every provider of the model is overloaded.'),
    messagesStatus: 529,
  },
  upstream_unreachable: upstream(502, 'api_error', 'No provider of the model could be reached.'),
  upstream_timed_out: upstream(504, 'timeout_error', 'The provider did not answer in time.'),
  upstream_credential_refused: upstream(
    502,
    'api_error',
    'The provider refused the gateway’s credential, or the organization’s own.',
  ),
  upstream_out_of_quota: upstream(
    502,
    'api_error',
    'The account at the provider, the gateway’s or the organization’s own, is out of quota: it has to be topped up there.',
  ),
  credential_unreadable: {
    status: 500,
    messagesType: 'api_error',
    openaiType: 'api_error',
    blame: 'gateway',
    meaning:
      'A stored key of the organization cannot be decrypted, or was entered for another address; enter it again.',
    param: '',
  },
  upstream_garbled: upstream(502, 'api_error', 'The provider returned a malformed response.'),
  upstream_broken: upstream(502, 'api_error', 'The provider failed or cut its response short.'),
  store_unavailable: {
    status: 503,
    messagesType: 'api_error',
    openaiType: 'api_error',
    blame: 'gateway',
    meaning:
      'The gateway’s database is unavailable, or a gateway process that does not answer holds the money needed; nothing was sent or charged.',
    param: '',
  },
  issuer_unavailable: {
    status: 502,
    messagesType: 'api_error',
    openaiType: 'api_error',
    blame: 'gateway',
    meaning: 'The OpenID provider of `auth.oidc` gives no valid answer; no one can sign in there.',
    param: '',
  },
  bodies_too_large: {
    status: 503,
    messagesType: 'overloaded_error',
    openaiType: 'api_error',
    blame: 'gateway',
    meaning:
      'The requests in progress leave no memory for another body of this size (`openBodiesMiB`); see `retry-after`.',
    param: 'body',
  },
  shutting_down: {
    status: 503,
    messagesType: 'overloaded_error',
    openaiType: 'api_error',
    blame: 'gateway',
    meaning: 'The gateway is shutting down; retry.',
    param: '',
  },
  too_many_connections: {
    status: 503,
    messagesType: 'overloaded_error',
    openaiType: 'api_error',
    blame: 'gateway',
    meaning:
      'The gateway has reached its connection limit and all connections are busy; see `retry-after` and `server.maxConnections`.',
    param: '',
  },
  internal_error: {
    status: 500,
    messagesType: 'api_error',
    openaiType: 'api_error',
    blame: 'gateway',
    meaning: 'A fault of the gateway; find the request id in its log.',
    param: '',
  },
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;

export function getErrorEntry(code: ErrorCode): ErrorEntry {
  return ERRORS[code];
}
