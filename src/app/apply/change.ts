import type { Layer, RateLimits } from '#accounts';
import type { KeySettings, ManifestRule, OrganizationSettings } from './manifest.ts';

/** What a change is about; shared by all changes of one thing, so that what is yet to be made has an identity. */
export interface Subject {
  layer: Layer;
  /** Absent where an earlier change makes it. */
  id?: string;
  /** Its name with those of what it is in: `Acme / web / backend`. */
  title: string;
  /** Where a file names it; absent where none does. */
  place?: string;
}

/** The plan of an organization and whether credits pay beyond it. */
export interface PlanChoice {
  plan: OrganizationSettings['plan'];
  /** Absent: as it was. */
  overflow?: boolean;
}

interface Values<Member extends string, Value> {
  member: Member;
  from: Value;
  to: Value;
}

/** A member that gets another value, in the words of a manifest. */
export type Setting =
  | Values<'plan', PlanChoice>
  | Values<'rateLimits', RateLimits>
  | Values<'cacheTtlSeconds' | 'payloadDays', number>
  | Values<'limit' | 'recurringLimit' | 'expiresAt', string>
  | Values<'disabled', boolean>;

/** What a new thing is made with. */
export type Creation =
  | { layer: 'organization'; name: string }
  | { layer: 'project'; name: string; organization: Subject }
  | ({ layer: 'key'; label: string; member?: string; project: Subject } & Partial<
      Omit<KeySettings, 'disabled'>
    >);

/** One step from what there is to what a manifest says. */
export type Change =
  | { action: 'create'; subject: Subject; creation: Creation }
  | ({ action: 'set'; subject: Subject } & Setting)
  | { action: 'addRule'; subject: Subject; rule: ManifestRule }
  | { action: 'removeRule'; subject: Subject; rule: ManifestRule; ruleId: string };
