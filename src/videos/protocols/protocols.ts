import type { Provider, VideoProtocolId } from '#catalogue';
import { FORMAT_DEFAULTS } from '#catalogue';
import type { VideoProtocol } from '../protocol.ts';
import { dashscopeProtocol } from './dashscope/index.ts';
import { openaiProtocol } from './openai/index.ts';
import { veoProtocol } from './veo/index.ts';
import { xaiProtocol } from './xai/index.ts';

const PROTOCOLS: Record<VideoProtocolId, VideoProtocol> = {
  openai: openaiProtocol,
  veo: veoProtocol,
  xai: xaiProtocol,
  dashscope: dashscopeProtocol,
};

/** The protocol a provider declares, otherwise the one of its format. */
export function getProtocol({
  videoProtocol,
  format,
}: Pick<Provider, 'videoProtocol' | 'format'>): VideoProtocol {
  return PROTOCOLS[videoProtocol ?? FORMAT_DEFAULTS[format].videos];
}
