import { stringify } from 'yaml';
import type { ActualKey, ActualOrganization, ActualProject, ActualRule, Manifest } from './manifest.ts';

/** What there is as a manifest; an id stands only where the name alone does not tell which one is meant. */
export function exportManifest(organizations: readonly ActualOrganization[]): Manifest {
  return {
    organizations: nameEach(organizations, ({ name }) => name, toOrganization),
  };
}

/** A manifest as the text of a file. */
export function formatManifest(manifest: Manifest): string {
  return stringify(manifest, { lineWidth: 0, aliasDuplicateObjects: false });
}

type Identity = { id?: string };

function nameEach<Thing extends { id: string }, Written>(
  things: readonly Thing[],
  getName: (thing: Thing) => string,
  write: (thing: Thing, identity: Identity) => Written,
): Written[] {
  return things.map((thing) => {
    const isShared = things.some((other) => other !== thing && getName(other) === getName(thing));
    return write(thing, isShared ? { id: thing.id } : {});
  });
}

function toOrganization(organization: ActualOrganization, identity: Identity): Manifest['organizations'][0] {
  const { name, plan, overflow, rateLimits, rules, projects } = organization;
  return {
    ...identity,
    name,
    plan,
    ...(plan !== 'none' && { overflow }),
    rateLimits,
    rules: rules.map(toRule),
    projects: nameEach(projects, (project) => project.name, toProject),
  };
}

function toProject({ name, cacheTtlSeconds, payloadDays, rules, keys }: ActualProject, identity: Identity) {
  return {
    ...identity,
    name,
    cacheTtlSeconds,
    payloadDays,
    rules: rules.map(toRule),
    keys: nameEach(keys, ({ label }) => label, toKey),
  };
}

function toKey(key: ActualKey, identity: Identity) {
  const { label, member, limit, recurringLimit, rateLimits, expiresAt, disabled, rules } = key;
  return {
    ...identity,
    label,
    ...(member !== undefined && { member }),
    limit,
    recurringLimit,
    rateLimits,
    expiresAt,
    disabled,
    rules: rules.map(toRule),
  };
}

function toRule({ type, values }: ActualRule) {
  return values.length === 0 ? { type } : { type, values };
}
