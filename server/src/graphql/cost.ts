import type { VariableValues } from 'graphql'
import { tooComplex } from '../errors.ts'
import type { Arguments } from './context.ts'
import { MAX_COST, RESOLVER_COST } from './limits.ts'
import type { ObjectPlan } from './plan.ts'

/** How many elements a field with pages answers at most, so how often what is below it is written. */
const pageSizes: Record<string, (args: Arguments) => number> = {
  'Starboard.leaderboard': (args) =>
    typeof args.twitterId === 'string' && args.twitterId !== ''
      ? 1
      : within(1_000, (args.pagination as { forward?: { first?: unknown } } | null | undefined)?.forward?.first, 50),
  'Space.loyaltyPointsRanks': (args) => within(1_000, args.first, 50),
  'Query.spaceLoyaltyPointsRanks': () => 50,
  'Query.quests': (args) => within(100, (args.input as { first?: unknown }).first, 20),
}

/** Refuses a document whose answer could have too many fields or read the database too often. */
export function refuseExpensive(plan: ObjectPlan, variables: VariableValues): void {
  const actual = costOf(plan, variables)
  if (actual > MAX_COST) throw tooComplex('too many fields, rows or look-ups', MAX_COST, actual)
}

function costOf(plan: ObjectPlan, variables: VariableValues): number {
  let cost = 0
  for (const field of plan.fields) {
    cost += field.resolve ? RESOLVER_COST : 1
    if (!field.below) continue
    const size = pageSizes[field.coordinate]
    const args = typeof field.args === 'function' && size ? field.args(variables) : field.args
    cost += costOf(field.below, variables) * (size ? size(args as Arguments) : 1)
  }
  return cost
}

function within(most: number, asked: unknown, otherwise: number): number {
  return typeof asked === 'number' ? Math.min(Math.max(asked, 1), most) : otherwise
}
