import type { FormatId } from '#canonical';
import type { InboundFormat, OutboundFormat } from './contract.ts';
import { chatInbound, chatOutbound } from './chat/index.ts';
import { messagesInbound, messagesOutbound } from './messages/index.ts';

const INBOUND: Record<FormatId, InboundFormat> = { chat: chatInbound, messages: messagesInbound };
const OUTBOUND: Record<FormatId, OutboundFormat> = { chat: chatOutbound, messages: messagesOutbound };

export function getInboundFormat(id: FormatId): InboundFormat {
  return INBOUND[id];
}

export function getOutboundFormat(id: FormatId): OutboundFormat {
  return OUTBOUND[id];
}
