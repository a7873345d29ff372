import { questIsPrivate, questNotFound } from '../../errors.ts'
import type { Context, FieldTable } from '../../graphql/context.ts'
import { isIdentifier } from '../identifiers.ts'
import { evaluateGroups } from './credential-groups.ts'
import { type ListQuestInput, listQuests } from './quest-list.ts'
import { findQuest, isTransitionDue, type QuestRow, type VisibleQuestRow } from './quest.queries.ts'

/** Quests and their conditions (spec 2.4, 3). */
export const quest: FieldTable = {
  resolvers: {
    Query: {
      async quest(_: unknown, args: { id: string }, context: Context) {
        const found = await findCurrentQuest(context, args.id)
        if (!found) throw questNotFound()
        if (found.is_private && found.owner_account_id !== context.accountId) throw questIsPrivate()
        return found
      },
      quests: (_: unknown, args: { input: ListQuestInput }, context: Context) => listQuests(context, args.input),
    },
    Quest: {
      credentialGroups: (parent: QuestRow, args: { address: string }, context: Context) =>
        evaluateGroups(context, parent.id, args.address),
    },
  },
  getters: {
    Quest: {
      space: ({ space_id, space_name, space_description }: QuestRow) => ({
        id: space_id,
        name: space_name,
        description: space_description,
      }),
    },
  },
}

/** Returns the quest after applying its due transitions. */
async function findCurrentQuest(context: Context, id: string): Promise<VisibleQuestRow | undefined> {
  if (!isIdentifier(id)) return undefined
  const now = new Date(context.clock.now())
  const found = await findQuest(context.reader, id)
  const settled = found
    ? found.next_transition_at === null || found.next_transition_at > now
    : !(await isTransitionDue(context.reader, now))
  if (settled) return found
  await context.applyDueTransitions()
  return findQuest(context.reader, id)
}
