import type { ClientFormatId, FormatId } from '#canonical';
import type { InboundFormat, OutboundFormat } from './contract.ts';
import { withCallerFields } from './errors/caller-fields.ts';
import { chatInbound, chatOutbound, refusingChatOnly } from './chat/index.ts';
import { converseOutbound } from './converse/index.ts';
import { withCustomTools } from './emulation/custom-tools.ts';
import { geminiInbound, geminiOutbound, refusingGeminiOnly } from './gemini/index.ts';
import { withoutHostedTools } from './emulation/hosted-tools.ts';
import {
  messagesInbound,
  messagesOutbound,
  refusingThreads,
  withSummaries,
  withToolChanges,
} from './messages/index.ts';
import { responsesInbound, responsesOutbound } from './responses/index.ts';
import { withShownImages } from './emulation/shown-images.ts';
import { type StopRule, withStopSequences } from './emulation/stop-sequences.ts';

const INBOUND: Record<ClientFormatId, InboundFormat> = {
  chat: chatInbound,
  gemini: geminiInbound,
  messages: messagesInbound,
  responses: responsesInbound,
};

const ANTHROPIC_STOPS: StopRule = { refusesBlank: true };

const OUTBOUND: Record<FormatId, OutboundFormat> = {
  chat: guarded(refusingGeminiOnly(lowered(withShownImages(chatOutbound)))),
  converse: guarded(
    refusingChatOnly(refusingGeminiOnly(lowered(withShownImages(converseOutbound), ANTHROPIC_STOPS))),
  ),
  gemini: guarded(refusingChatOnly(lowered(geminiOutbound), new Set(['text', 'image']))),
  messages: guarded(
    refusingChatOnly(refusingGeminiOnly(lowered(withShownImages(messagesOutbound), ANTHROPIC_STOPS))),
  ),
  responses: guarded(
    refusingGeminiOnly(withStopSequences(withCustomTools(withShownImages(responsesOutbound)))),
  ),
};

/** What all formats have in common. */
function guarded(format: OutboundFormat): OutboundFormat {
  return withCallerFields(refusingThreads(withToolChanges(withSummaries(format))));
}

/** Adds to every format what only some have: hosted tools, custom tools, more stop sequences. */
function lowered(format: OutboundFormat, stops?: StopRule): OutboundFormat {
  return withStopSequences(withCustomTools(withoutHostedTools(format)), stops);
}

export function getInboundFormat(id: ClientFormatId): InboundFormat {
  return INBOUND[id];
}

export function getOutboundFormat(id: FormatId): OutboundFormat {
  return OUTBOUND[id];
}
