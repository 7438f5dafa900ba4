import type { Change, ChangePlan, PlanChoice, Subject } from '#app';

/** A plan as it is shown before it is carried out. */
export function formatPlan({ changes, unmanaged }: ChangePlan): string[] {
  const rest = unmanaged.map(({ layer, id, title }) => `  not managed: ${layer} ${title} (${id ?? ''})`);
  return [...(changes.length === 0 ? ['nothing to do'] : changes.map(formatChange)), ...rest];
}

/** One change as a line; `+` makes something, `~` changes it, `-` takes it away. */
export function formatChange(change: Change): string {
  const on = `${change.subject.layer} ${change.subject.title}`;
  switch (change.action) {
    case 'create':
      return `+ ${on}${formatCreation(change.creation)}`;
    case 'set':
      return change.member === 'plan'
        ? `~ ${on}: plan ${formatPlanChoice(change.from)} → ${formatPlanChoice(change.to)}`
        : `~ ${on}: ${change.member} ${formatValue(change.from)} → ${formatValue(change.to)}`;
    case 'addRule':
      return `+ ${on}: rule ${[change.rule.type, ...change.rule.values].join(' ')}`;
    case 'removeRule':
      return `- ${on}: rule ${[change.rule.type, ...change.rule.values].join(' ')}`;
  }
}

type Creation = Extract<Change, { action: 'create' }>['creation'];

function formatCreation(creation: Creation): string {
  const given = Object.entries(pickSettings(creation));
  return given.length === 0
    ? ''
    : ` (${given.map(([name, value]) => `${name} ${formatValue(value)}`).join(', ')})`;
}

/** What something is made with; only keys are made with more than a name. */
function pickSettings(creation: Creation): Record<string, unknown> {
  if (creation.layer !== 'key') return {};
  const { member, limit, recurringLimit, rateLimits, expiresAt } = creation;
  const settings = Object.entries({ member, limit, recurringLimit, rateLimits, expiresAt });
  return Object.fromEntries(
    settings.filter(([, value]) => value !== undefined && formatValue(value) !== 'none'),
  );
}

function formatPlanChoice({ plan, overflow }: PlanChoice): string {
  return overflow === true && plan !== 'none' ? `${plan} with overflow` : plan;
}

function formatValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([name, member]) => `${name} ${String(member)}`);
  return members.length === 0 ? 'none' : members.join(', ');
}

/** A change for machines. */
export function toJsonChange(change: Change) {
  const on = toJsonSubject(change.subject);
  switch (change.action) {
    case 'create':
      return { action: change.action, ...on, settings: pickSettings(change.creation) };
    case 'set':
      return { action: change.action, ...on, member: change.member, from: change.from, to: change.to };
    case 'addRule':
    case 'removeRule':
      return { action: change.action, ...on, rule: change.rule };
  }
}

export function toJsonSubject({ layer, id, title }: Subject) {
  return { layer, id: id ?? null, title };
}
