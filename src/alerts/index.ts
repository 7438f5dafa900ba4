export { type AlertSettings, type Condition } from './alert.ts';
export { AlertStore } from './alert-store.ts';
export { type AlertPorts, alertsReport } from './alerts-report.ts';
export { type Alerts, createAlerts } from './alerts.ts';
export { StateStore } from './state-store.ts';
