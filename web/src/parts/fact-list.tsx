import type { ReactNode } from 'react';

export type Fact = readonly [name: string, value: ReactNode];

/** Names with values. */
export function FactList({ of, className = 'settings' }: { of: readonly Fact[]; className?: string }) {
  return (
    <dl className={`facts ${className}`}>
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
