import type { Member, MemberBudget, RecurringLimit } from '#accounts';
import type { JsonObject } from '#base';
import { type Static, Type } from 'typebox';
import { MEMBER_ROLES, PERIODS } from '#accounts';
import { formatUsd } from '#base';
import {
  AMOUNT,
  amountField,
  encodeTime,
  encodeUsd,
  orNull,
  readAmount,
  recurringLimitField,
  timeShape,
  usdShape,
  wordField,
} from './fields.ts';

export const memberShape = Type.Object({
  object: Type.Literal('member'),
  id: Type.String(),
  organization_id: Type.String(),
  name: Type.String(),
  email: orNull(Type.String()),
  role: Type.Enum([...MEMBER_ROLES]),
  keys: Type.Integer({ description: 'How many API keys it has.' }),
  usage: usdShape,
  limit: orNull(usdShape),
  recurring_limit: orNull(Type.Object({ amount: usdShape, period: Type.Enum([...PERIODS]) })),
  created_at: timeShape,
});

export const roleField = wordField(MEMBER_ROLES);
export const budgetFields = {
  limit: Type.Optional(orNull(amountField, `${AMOUNT}, or null for no limit`)),
  recurring_limit: Type.Optional(
    orNull(recurringLimitField, 'an object of amount and period, or null for no limit'),
  ),
};
interface BudgetBody {
  limit?: string | null;
  recurring_limit?: Static<typeof recurringLimitField> | null;
}

export function encodeMember(member: Member): JsonObject {
  const { recurringLimit } = member;
  return {
    object: 'member',
    id: member.id,
    organization_id: member.organizationId,
    name: member.name,
    email: member.email ?? null,
    role: member.role,
    keys: member.keys,
    usage: formatUsd(member.usage),
    limit: encodeUsd(member.limit),
    recurring_limit: recurringLimit && {
      amount: formatUsd(recurringLimit.amount),
      period: recurringLimit.period,
    },
    created_at: encodeTime(member.createdAt),
  };
}

/** The budget as a change names it: what is absent stays as it was. */
export function decodeBudget(body: BudgetBody, before: MemberBudget): MemberBudget {
  const { limit, recurring_limit: recurring } = body;
  return {
    limit: limit === undefined ? before.limit : limit === null ? null : readAmount('limit', limit),
    recurringLimit:
      recurring === undefined ? before.recurringLimit : recurring && decodeRecurringLimit(recurring),
  };
}

function decodeRecurringLimit({ amount, period }: Static<typeof recurringLimitField>): RecurringLimit {
  return { amount: readAmount('recurring_limit.amount', amount), period };
}
