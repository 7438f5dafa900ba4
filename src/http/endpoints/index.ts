import type { Endpoint } from '../endpoint.ts';
import { ADMIN_ENDPOINTS } from './admin/index.ts';
import { chatCompletionsEndpoint } from './gateway/chat-completions/endpoint.ts';
import { countTokensEndpoint } from './gateway/count-tokens/endpoint.ts';
import { createVideoEndpoint } from './gateway/create-video/endpoint.ts';
import { dashboardEndpoint } from './gateway/dashboard/endpoint.ts';
import { dashboardFileEndpoint } from './gateway/dashboard-file/endpoint.ts';
import { deleteResponseEndpoint } from './gateway/delete-response/endpoint.ts';
import { embeddingsEndpoint } from './gateway/embeddings/endpoint.ts';
import { deleteVideoEndpoint } from './gateway/delete-video/endpoint.ts';
import { geminiEndpoint } from './gateway/gemini/endpoint.ts';
import { geminiModelEndpoint } from './gateway/gemini-model/endpoint.ts';
import { geminiModelsEndpoint } from './gateway/gemini-models/endpoint.ts';
import { healthEndpoint } from './gateway/health/endpoint.ts';
import { imageEditsEndpoint } from './gateway/image-edits/endpoint.ts';
import { imagesEndpoint } from './gateway/images/endpoint.ts';
import { keyEndpoint } from './gateway/key/endpoint.ts';
import { ownSessionEndpoint } from './gateway/own-session/endpoint.ts';
import { ownSessionsEndpoint } from './gateway/own-sessions/endpoint.ts';
import { usageEndpoint } from './gateway/usage/endpoint.ts';
import { inputItemsEndpoint } from './gateway/input-items/endpoint.ts';
import { inputTokensEndpoint } from './gateway/input-tokens/endpoint.ts';
import { listVideosEndpoint } from './gateway/list-videos/endpoint.ts';
import { livezEndpoint } from './gateway/livez/endpoint.ts';
import { messagesEndpoint } from './gateway/messages/endpoint.ts';
import { modelEndpoint } from './gateway/model/endpoint.ts';
import { modelsEndpoint } from './gateway/models/endpoint.ts';
import { moderationsEndpoint } from './gateway/moderations/endpoint.ts';
import { oidcCallbackEndpoint } from './gateway/oidc-callback/endpoint.ts';
import { oidcStartEndpoint } from './gateway/oidc-start/endpoint.ts';
import { openapiEndpoint } from './gateway/openapi/endpoint.ts';
import { metricsEndpoint } from './gateway/metrics/endpoint.ts';
import { readyzEndpoint } from './gateway/readyz/endpoint.ts';
import { rerankEndpoint } from './gateway/rerank/endpoint.ts';
import { responsesEndpoint } from './gateway/responses/endpoint.ts';
import { sessionEndpoint } from './gateway/session/endpoint.ts';
import { signInEndpoint } from './gateway/sign-in/endpoint.ts';
import { signOutEndpoint } from './gateway/sign-out/endpoint.ts';
import { sessionTokensEndpoint } from './gateway/session-tokens/endpoint.ts';
import { speechEndpoint } from './gateway/speech/endpoint.ts';
import { storedResponseEndpoint } from './gateway/stored-response/endpoint.ts';
import { transcriptionsEndpoint } from './gateway/transcriptions/endpoint.ts';
import { videoEndpoint } from './gateway/video/endpoint.ts';
import { videoContentEndpoint } from './gateway/video-content/endpoint.ts';
import { videoLogContentEndpoint } from './gateway/video-log-content/endpoint.ts';

/** Every endpoint of the gateway. */
export const ENDPOINTS: readonly Endpoint[] = [
  messagesEndpoint,
  countTokensEndpoint,
  chatCompletionsEndpoint,
  responsesEndpoint,
  inputTokensEndpoint,
  storedResponseEndpoint,
  deleteResponseEndpoint,
  inputItemsEndpoint,
  createVideoEndpoint,
  listVideosEndpoint,
  videoEndpoint,
  deleteVideoEndpoint,
  videoContentEndpoint,
  videoLogContentEndpoint,
  geminiEndpoint,
  geminiModelsEndpoint,
  geminiModelEndpoint,
  embeddingsEndpoint,
  moderationsEndpoint,
  rerankEndpoint,
  imagesEndpoint,
  imageEditsEndpoint,
  speechEndpoint,
  transcriptionsEndpoint,
  keyEndpoint,
  usageEndpoint,
  ownSessionsEndpoint,
  ownSessionEndpoint,
  sessionTokensEndpoint,
  modelsEndpoint,
  modelEndpoint,
  healthEndpoint,
  livezEndpoint,
  readyzEndpoint,
  metricsEndpoint,
  openapiEndpoint,
  dashboardEndpoint,
  dashboardFileEndpoint,
  oidcStartEndpoint,
  oidcCallbackEndpoint,
  sessionEndpoint,
  signInEndpoint,
  signOutEndpoint,
  ...ADMIN_ENDPOINTS,
];
