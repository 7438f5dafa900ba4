import { getOutboundFormat } from '#wire';

/** Errors of Google's shape. */
export const { decodeFailure: decodeGeminiFailure } = getOutboundFormat('gemini');
