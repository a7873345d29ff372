import type { AccountCaller } from '../../api/route.ts'
import type { MemberQuests, VisibleQuest } from '../../claims/member-quests.ts'
import { ServiceError } from '../../errors.ts'
import { limitByAccount } from '../../rate-limits/limit-by-account.ts'
import type { RateLimit } from '../../rate-limits/limits.ts'
import type { Services } from '../../services.ts'

type Caller = Pick<AccountCaller, 'accountId'> & { services: Services; params: { id: string } }

/**
 * The `resource` of routes for members: the quest of the path, if the account can see it. Requests for other quests count
 * towards the limit. The handler counts all other requests after the body, so that an invalid body costs nothing.
 * @throws ApiError 429; ServiceError NOT_FOUND, PERMISSION_DENIED
 */
export const limitedQuest =
  (quests: Pick<MemberQuests, 'visible'>, limit: RateLimit) =>
  async ({ services, accountId, params: { id } }: Caller): Promise<VisibleQuest> => {
    try {
      return await quests.visible(accountId, id)
    } catch (error) {
      if (error instanceof ServiceError) await limitByAccount(services, limit, accountId)
      throw error
    }
  }
