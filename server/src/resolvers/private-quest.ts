import { questIsPrivate } from '../errors.ts'
import type { Context } from '../graphql/context.ts'
import { isMember } from '../teams/roles.queries.ts'

interface PrivateQuest {
  is_private: boolean
  space_id: string
  owner_account_id: string | null
}

type Reading = Pick<Context, 'reader' | 'accountId'>

/** Whether an account may see a quest: private quests are for the team of their space. */
export async function maySee({ reader, accountId }: Reading, quest: PrivateQuest): Promise<boolean> {
  if (!quest.is_private || quest.owner_account_id === accountId) return true
  return isMember(reader, Number(quest.space_id), accountId)
}

/** @throws Quest is private */
export async function requirePublic(context: Reading, quest: PrivateQuest): Promise<void> {
  if (!(await maySee(context, quest))) throw questIsPrivate()
}
