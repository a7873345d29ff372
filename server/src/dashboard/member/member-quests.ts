import type { FastifyInstance, FastifyRequest } from 'fastify'
import { route } from '../../api/route.ts'
import type { MemberQuests } from '../../claims/member-quests.ts'
import { kindOfQuest } from '../../claims/own-addresses.ts'
import type { Participation } from '../../claims/member-quests.queries.ts'
import type { OwnQuest } from '../../claims/own-quests.ts'
import type { Readiness } from '../../claims/readiness.ts'
import { type Refusal, refusalReasons } from '../../claims/refusals.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { claimsByAccount, questReadsByAccount, verificationsByAccount } from '../../rate-limits/limits.ts'
import type { Services } from '../../services.ts'
import type { Verifications } from '../../verify/verifications.ts'
import { limitByAccount } from '../../rate-limits/limit-by-account.ts'
import { claimShape, questDescriptions } from './quest-route-descriptions.ts'
import { limitedQuest } from './limited-quest.ts'
import { fault, wrongFormat } from '../../texts/faults.ts'

/** `/api/quests…` and `/api/my/quests`: quests of the signed-in account. */
export function registerMemberQuests(
  scope: FastifyInstance,
  services: Services,
  { quests, verifications }: { quests: MemberQuests; verifications: Verifications },
): void {
  const claimed = { ...questDescriptions.claim, resource: limitedQuest(quests, claimsByAccount) }
  const read = { ...questDescriptions.readiness, resource: limitedQuest(quests, questReadsByAccount) }
  const verified = { ...questDescriptions.verify, resource: limitedQuest(quests, verificationsByAccount) }

  route(scope, services, claimed, async ({ accountId, resource: quest, body, request }) => {
    const key = readKey(request, body.key)
    await limitByAccount(services, claimsByAccount, accountId)
    const outcome = await quests.claim({
      accountId,
      quest,
      address: body.address,
      allowedAddresses: 'all',
      key: key === undefined ? undefined : `member:${accountId}:${key}`,
    })
    if (outcome.status === 'refused') throw refused(outcome.refusal)
    const { claimedAt, ...completion } = outcome.completion
    return { status: outcome.status, completion: { ...completion, claimedAt: claimedAt.toISOString() } }
  })

  route(scope, services, read, async ({ accountId, resource: quest, query: address }) => {
    await limitByAccount(services, questReadsByAccount, accountId)
    const readiness = await quests.readiness(accountId, quest, address)
    if ('reason' in readiness)
      throw invalidField('address', 'must be a linked address that fits the chain of the quest', fault('not_linked'))
    return viewReadiness(readiness)
  })

  route(scope, services, verified, async ({ accountId, resource: quest, body }) => {
    await limitByAccount(services, verificationsByAccount, accountId)
    const request = { accountId, quest, ...body, allowedAddresses: 'all' } as const
    const { kind, held, checkedAt, change } = await verifications.verify(request)
    return { kind, held, checkedAt: checkedAt.toISOString(), listChanged: change !== null }
  })

  route(scope, services, questDescriptions.list, async ({ accountId, query }) => {
    await limitByAccount(services, questReadsByAccount, accountId)
    const { list, next } = await quests.list(accountId, query)
    return { list: list.map(viewOwnQuest), next: next ? `${next.createdAt}.${next.id}` : null }
  })

  route(scope, services, questDescriptions.completed, async ({ accountId, query }) => {
    await limitByAccount(services, questReadsByAccount, accountId)
    return { completed: await quests.completedAmong(accountId, query.quests) }
  })
}

/** The key in the body or in the header `idempotency-key`. @throws ApiError if both differ */
function readKey(request: FastifyRequest, inBody: string | undefined): string | undefined {
  const inHeader = request.headers['idempotency-key']
  if (inHeader === undefined) return inBody
  const { data } = claimShape.shape.key.safeParse(inHeader)
  if (data === undefined)
    throw invalidField('Idempotency-Key', 'must be 1 to 200 characters without control characters', wrongFormat('key'))
  if (inBody !== undefined && inBody !== data)
    throw invalidField('key', 'differs from the header Idempotency-Key', fault('one_of_two'))
  return data
}

function refused(refusal: Refusal): ApiError {
  const { message, ...details } = viewRefusal(refusal)
  return new ApiError('claim_refused', message, { details: { refusal: details } })
}

const viewRefusal = ({ reason, message, conditions }: Refusal) => ({
  reason,
  ...refusalReasons[reason],
  ...(conditions && { conditions }),
  message,
})

function viewReadiness(readiness: Readiness): Record<string, unknown> {
  const { quest, address, addresses, completion, refusal, groups } = readiness
  return {
    quest: viewQuest(quest),
    state: completion ? 'completed' : refusal ? 'refused' : 'ready',
    address: address ?? null,
    kind: quest.chain === null ? null : kindOfQuest(quest.chain),
    addresses,
    completion: viewCompletion(completion),
    refusal: refusal ? viewRefusal(refusal) : null,
    groups: groups.map((group) => ({
      ...group,
      conditions: group.conditions.map(({ kind, act, ...condition }) => ({
        ...condition,
        kind: kind ?? null,
        act: act ?? null,
      })),
    })),
  }
}

const viewOwnQuest = ({ quest, state, conditions, completion }: OwnQuest) => ({
  quest: viewQuest(quest),
  state,
  conditions,
  completion: viewCompletion(completion),
})

const viewCompletion = (completion: Participation | undefined) =>
  completion
    ? {
        address: completion.address,
        points: completion.points,
        sprintId: completion.sprint_id || null,
        claimedAt: completion.claimed_at.toISOString(),
      }
    : null

function viewQuest(quest: OwnQuest['quest']): Record<string, unknown> {
  const { id, name, description, type, status, startTime, endTime, cap, participantsCount, loyaltyPoints, chain } =
    quest
  return {
    id,
    name,
    description,
    type,
    status,
    startTime: startTime?.toISOString() ?? null,
    endTime: endTime?.toISOString() ?? null,
    cap,
    participantsCount,
    loyaltyPoints,
    chain,
    space: { id: quest.space_id, name: quest.space_name },
  }
}
