import { type FormatFacts, NO_HOSTED_TOOLS, TEXT_ONLY, TIER_ALONE } from '../format-facts.ts';

export const converseFacts: FormatFacts = {
  ...TIER_ALONE,
  ...NO_HOSTED_TOOLS,
  toolNamedBy: 'type',
  modalities: TEXT_ONLY,
  conversation: 'messages',
};
