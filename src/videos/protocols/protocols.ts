import type { Provider, VideoProtocolId } from '#catalogue';
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

const OF_FORMAT: Readonly<Record<Provider['format'], VideoProtocolId>> = {
  chat: 'openai',
  messages: 'openai',
  responses: 'openai',
  gemini: 'veo',
  converse: 'openai',
};

/** How a provider is asked for videos: as it is declared, else as those that speak its format are. */
export function getProtocol({
  videoProtocol,
  format,
}: Pick<Provider, 'videoProtocol' | 'format'>): VideoProtocol {
  return PROTOCOLS[videoProtocol ?? OF_FORMAT[format]];
}
