export { Deliverer, type EventQueue, type PendingEvent, type WebhookMessage } from './deliverer.ts';
export { EventTable } from './event-table.ts';
export { signWebhook } from './sign-webhook.ts';
