import type { ClientFormatId, FormatId } from '#canonical';
import type { InboundFormat, OutboundFormat, RequestChange } from './contract.ts';
import { withCallerFields } from './caller-fields.ts';
import { chatInbound, chatOutbound, createChatRefusal } from './chat/index.ts';
import { converseOutbound } from './converse/index.ts';
import { withCustomTools } from './emulation/custom-tools.ts';
import { FORMAT_FACTS } from './facts.ts';
import { geminiInbound, geminiOutbound, refuseGeminiOnly } from './gemini/index.ts';
import { withoutHostedTools } from './emulation/hosted-tools.ts';
import {
  messagesInbound,
  messagesOutbound,
  offerChangedTools,
  refuseThreads,
  stateSummaries,
} from './messages/index.ts';
import { responsesInbound, responsesOutbound } from './responses/index.ts';
import { showImages } from './emulation/shown-images.ts';
import { withStopSequences } from './emulation/stop-sequences.ts';
import { NO_BLANKS, type StopRule } from './request/clamp-options.ts';

const INBOUND: Record<ClientFormatId, InboundFormat> = {
  chat: chatInbound,
  gemini: geminiInbound,
  messages: messagesInbound,
  responses: responsesInbound,
};

/** Changes to the requests of Messages for every other format. */
const WITHOUT_MESSAGES = [offerChangedTools, stateSummaries];

const OUTBOUND: Record<FormatId, OutboundFormat> = {
  chat: guarded(lowered(changing(chatOutbound, showImages)), ...WITHOUT_MESSAGES, refuseGeminiOnly),
  converse: guarded(
    lowered(changing(converseOutbound, showImages), NO_BLANKS),
    ...WITHOUT_MESSAGES,
    createChatRefusal(FORMAT_FACTS.converse.modalities),
    refuseGeminiOnly,
  ),
  gemini: guarded(
    lowered(geminiOutbound),
    ...WITHOUT_MESSAGES,
    createChatRefusal(FORMAT_FACTS.gemini.modalities),
  ),
  messages: guarded(
    lowered(changing(messagesOutbound, showImages), NO_BLANKS),
    createChatRefusal(FORMAT_FACTS.messages.modalities),
    refuseGeminiOnly,
  ),
  responses: guarded(
    withStopSequences(withCustomTools(changing(responsesOutbound, showImages))),
    ...WITHOUT_MESSAGES,
    refuseGeminiOnly,
  ),
};

/** What all formats have in common, and the changes that a request needs first. */
function guarded(format: OutboundFormat, ...changes: RequestChange[]): OutboundFormat {
  return withCallerFields(changing(format, refuseThreads, ...changes));
}

/** Adds to every format what only some have: hosted tools, custom tools, more stop sequences. */
function lowered(format: OutboundFormat, stops?: StopRule): OutboundFormat {
  return withStopSequences(withCustomTools(withoutHostedTools(format)), stops);
}

/** A format with changes to its requests, in their order. */
function changing(format: OutboundFormat, ...changes: RequestChange[]): OutboundFormat {
  return {
    ...format,
    openExchange(request, target) {
      let changed = request;
      for (const change of changes) changed = change(changed, target, format.id);
      return format.openExchange(changed, target);
    },
  };
}

export function getInboundFormat(id: ClientFormatId): InboundFormat {
  return INBOUND[id];
}

export function getOutboundFormat(id: FormatId): OutboundFormat {
  return OUTBOUND[id];
}
