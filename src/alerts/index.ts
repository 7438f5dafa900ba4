export { type AlertSettings, type Condition } from './alert.ts';
export { type AlertRecord, AlertStore } from './alert-store.ts';
export { type Alerts, createAlerts } from './alerts.ts';
export { StateStore } from './state-store.ts';
