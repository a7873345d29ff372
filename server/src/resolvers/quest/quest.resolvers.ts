import { questNotFound } from '../../errors.ts'
import type { Context, FieldTable } from '../../graphql/context.ts'
import { requirePublic } from '../private-quest.ts'
import { requireSpaceOfQuest } from '../public-space.ts'
import { evaluateGroups } from './credential-groups.ts'
import { findCurrentQuest } from './current-quest.ts'
import { type ListQuestInput, listQuests } from './quest-list.ts'
import type { QuestRow } from './quest.queries.ts'

/** Quests and their conditions. */
export const quest: FieldTable = {
  resolvers: {
    Query: {
      async quest(_: unknown, args: { id: string }, context: Context) {
        const found = await findCurrentQuest(context, args.id)
        if (!found) throw questNotFound()
        requireSpaceOfQuest(context, found)
        await requirePublic(context, found)
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
