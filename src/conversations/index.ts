export {
  type Conversations,
  type ConversationsOptions,
  type StoredResponse,
  type Tenant,
  createConversations,
} from './conversations.ts';
