import type { AccountCaller } from '../../api/route.ts'
import type { MemberQuests, VisibleQuest } from '../../claims/member-quests.ts'
import { limitByAccount } from '../../rate-limit/limit-by-account.ts'
import type { AttemptLimit } from '../../rate-limit/rate-limit.ts'
import type { Services } from '../../services.ts'

type Caller = Pick<AccountCaller, 'accountId'> & { services: Services; params: { id: string } }

/**
 * The `resource` of routes for members: the quest of the path, if the account can see it. The limit includes requests for
 * unknown quests.
 * @throws ApiError 429; ServiceError NOT_FOUND, PERMISSION_DENIED
 */
export const limitedQuest =
  (quests: Pick<MemberQuests, 'visible'>, limit: AttemptLimit) =>
  async ({ services, accountId, params: { id } }: Caller): Promise<VisibleQuest> => {
    await limitByAccount(services, limit, accountId)
    return quests.visible(accountId, id)
  }
