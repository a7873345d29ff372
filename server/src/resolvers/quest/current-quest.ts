import type { Context } from '../../graphql/context.ts'
import { isIdentifier } from '../identifiers.ts'
import { findQuest, isTransitionDue, type VisibleQuestRow } from './quest.queries.ts'

/** Returns the quest after applying its due transitions. */
export async function findCurrentQuest(
  context: Pick<Context, 'reader' | 'clock' | 'applyDueTransitions'>,
  id: string,
): Promise<VisibleQuestRow | undefined> {
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
