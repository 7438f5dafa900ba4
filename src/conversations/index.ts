export { type Conversations, createConversations } from './conversations.ts';
