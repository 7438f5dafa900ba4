export { Deliverer, type EventQueue, type PendingEvent, type WebhookMessage } from './deliverer.ts';
export { type DeliveryOutcome, EventTable, SELECT_OUTCOME } from './event-table.ts';
export { signWebhook } from './sign-webhook.ts';
