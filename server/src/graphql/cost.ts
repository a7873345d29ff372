import type { VariableValues } from 'graphql'
import { tooComplex } from '../errors.ts'
import type { Arguments } from './context.ts'
import { MAX_ADDRESSES, MAX_COST, RESOLVER_COST } from './limits.ts'
import type { ObjectPlan } from './object-plan.ts'
import { BOARD_PAGE, MAX_SPRINTS, type PageSize, QUEST_PAGE } from './page-size.ts'

/** The maximum number of elements of a list field. The cost of its selection is multiplied by this number. */
const pageSizes: Record<string, (args: Arguments) => number> = {
  'Starboard.leaderboard': (args) =>
    typeof args.twitterId === 'string' && args.twitterId !== ''
      ? 1
      : within(BOARD_PAGE, (args.pagination as { forward?: { first?: unknown } } | null | undefined)?.forward?.first),
  'Space.loyaltyPointsRanks': (args) => within(BOARD_PAGE, args.first),
  'Space.addressesLoyaltyPoints': addressesIn,
  'Space.addressLoyaltyPointsHistory': (args) => within(BOARD_PAGE, args.first),
  'Space.changes': (args) => within(BOARD_PAGE, args.first),
  'Space.sprints': () => MAX_SPRINTS,
  'Query.spaceLoyaltyPointsRanks': () => BOARD_PAGE.standard,
  'Query.quests': (args) => within(QUEST_PAGE, (args.input as { first?: unknown }).first),
}

/** The number of look-ups of a field that needs more than one. */
const lookups: Record<string, (args: Arguments) => number> = {
  'Space.addressesLoyaltyPoints': addressesIn,
  // A page can read the maximum number of changes, even if it returns few members.
  'Space.changes': () => 10,
}

function addressesIn(args: Arguments): number {
  // The field itself rejects more than the limit.
  return within({ standard: 1, max: MAX_ADDRESSES }, (args.addresses as readonly string[]).length)
}

/** Rejects a document whose response could have too many fields or need too many look-ups. */
export function refuseExpensive(plan: ObjectPlan, variables: VariableValues): void {
  const actual = costOf(plan, variables)
  if (actual > MAX_COST) throw tooComplex('too many fields, rows or look-ups', MAX_COST, actual)
}

function costOf(plan: ObjectPlan, variables: VariableValues): number {
  let cost = 0
  for (const field of plan.fields) {
    const [size, several] = [pageSizes[field.coordinate], lookups[field.coordinate]]
    const args = typeof field.args === 'function' && size ? field.args(variables) : field.args
    cost += field.resolve ? RESOLVER_COST * (several ? several(args as Arguments) : 1) : 1
    if (field.below) cost += costOf(field.below, variables) * (size ? size(args as Arguments) : 1)
  }
  return cost
}

function within({ standard, max }: PageSize, asked: unknown): number {
  return typeof asked === 'number' ? Math.min(Math.max(asked, 1), max) : standard
}
