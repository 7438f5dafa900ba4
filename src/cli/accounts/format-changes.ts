import type { Change, ChangePlan, FileValues, Subject } from '#app';

/** The changes as printed before they are applied. */
export function formatPlan({ changes, unmanaged }: ChangePlan): string[] {
  const rest = unmanaged.map(({ layer, id, title }) => `  not managed: ${layer} ${title} (${id ?? ''})`);
  return [...(changes.length === 0 ? ['nothing to do'] : changes.map(formatChange)), ...rest];
}

/** One change as a line: `+` creates or adds, `~` changes, `-` removes. */
export function formatChange(change: Change): string {
  const on = `${change.subject.layer} ${change.subject.title}`;
  switch (change.action) {
    case 'create': {
      const given = Object.entries(change.settings).map(([name, value]) => `${name} ${formatValue(value)}`);
      return given.length === 0 ? `+ ${on}` : `+ ${on} (${given.join(', ')})`;
    }
    case 'set': {
      const { describe = formatValue } = change.section.manifest;
      return `~ ${on}: ${change.member} ${describe(change.from as FileValues)} → ${describe(change.to as FileValues)}`;
    }
    case 'add':
    case 'remove': {
      const values = Object.values(change.values).flat().map(String);
      const sign = change.action === 'add' ? '+' : '-';
      return `${sign} ${on}: ${[change.kind.resource.name, ...values].join(' ')}`;
    }
  }
}

function formatValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([name, member]) => `${name} ${formatMember(member)}`);
  return members.length === 0 ? 'none' : members.join(', ');
}

function formatMember(member: unknown): string {
  if (Array.isArray(member)) return member.join(',');
  return typeof member === 'string' ? member : JSON.stringify(member);
}

/** A change as JSON. */
export function toJsonChange(change: Change) {
  const on = toJsonSubject(change.subject);
  switch (change.action) {
    case 'create':
      return { action: change.action, ...on, settings: change.settings };
    case 'set':
      return { action: change.action, ...on, member: change.member, from: change.from, to: change.to };
    case 'add':
    case 'remove': {
      const { name } = change.kind.resource;
      const action = `${change.action}${name.charAt(0).toUpperCase()}${name.slice(1)}`;
      return { action, ...on, [name]: change.values };
    }
  }
}

export function toJsonSubject({ layer, id, title }: Subject) {
  return { layer, id: id ?? null, title };
}
