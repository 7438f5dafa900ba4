import type { Dialect, MediaBlock } from '#canonical';
import { refuseFeature } from '../errors/refuse-feature.ts';
import { toAudioFormat } from './media-type.ts';

/** Audio as both formats of OpenAI send it. */
interface AudioPart {
  type: 'input_audio';
  input_audio: { data: string; format: string };
}

export function decodeAudio({ input_audio: { data, format } }: AudioPart): MediaBlock {
  return { type: 'media', kind: 'audio', mediaType: `audio/${format}`, source: { base64: data } };
}

/** Throws if the target does not support it; `param` names the field with the conversation. */
export function encodeAudio(
  { mediaType, source }: MediaBlock,
  media: Dialect['media'],
  param: string,
): AudioPart {
  if (!media.audio || !('base64' in source)) return refuseFeature('audio', param);
  return { type: 'input_audio', input_audio: { data: source.base64, format: toAudioFormat(mediaType) } };
}
