import type { ProviderBudgets } from '#routing';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';

interface BudgetTools {
  ports: Pick<Ports, 'health' | 'clock'>;
  trip: Trip;
}

/**
 * The budgets of a request whose first choice is this provider. An organization's own keys have separate ones, so that
 * their failures do not use up the retries of others.
 */
export function findBudgets({ ports, trip }: BudgetTools, providerId: string): ProviderBudgets {
  const { credential, caller } = trip.facts;
  const owner = credential === 'own' ? caller?.organizationId : undefined;
  return ports.health.budgetsOf(providerId, ports.clock.monotonicMs(), owner);
}
