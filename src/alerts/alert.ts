import type { JsonObject, PicoUsd } from '#base';

/** What operators are alerted to. */
const ALERT_TYPES = [
  'budget.threshold_reached',
  'budget.forecast_exceeded',
  'budget.request_refused',
  'provider.outage',
  'provider.recovered',
  'ledger.disagreement',
  'export.failing',
  'export.recovered',
  'session.cache_loss',
  'catalogue.announced',
  'catalogue.changed',
  'catalogue.refused',
  'catalogue.held',
  'catalogue.recovered',
  'test',
] as const;

export type AlertType = (typeof ALERT_TYPES)[number];

/** Something to alert to, once per subject. */
export interface Alert {
  subject: string;
  type: AlertType;
  data: JsonObject;
  /** When there can be no second one about the subject; absent: never. */
  expiresAt?: Date;
}

/** A condition that lasts: its beginning and its end are alerts. */
export interface Condition {
  /** Such as `provider/openai`. */
  name: string;
  begins: AlertType;
  ends: AlertType;
  data: JsonObject;
}

export interface AlertSettings {
  url: string;
  /** Signs each message. */
  secret: string;
  /** Percentages of budgets. */
  thresholds: readonly number[];
  forecast: boolean;
  /** How often the ledger is checked; 0: never. */
  ledgerCheckHours: number;
  /** The loss of a session by missed prompt caches from which an alert is raised, in pico-USD; absent: never. */
  sessionLoss?: PicoUsd;
}
