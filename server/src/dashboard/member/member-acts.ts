import type { FastifyInstance, FastifyRequest } from 'fastify'
import { route } from '../../api/route.ts'
import { sendPage } from '../../oauth/pages/html.ts'
import { limitByAccount } from '../../rate-limits/limit-by-account.ts'
import { questReadsByAccount, verificationsByAccount } from '../../rate-limits/limits.ts'
import type { Services } from '../../services.ts'
import { sessionOf } from '../../sessions/session.ts'
import { html } from '../../text/html.ts'
import type { Quizzes } from '../../verify/quizzes.ts'
import type { VisitRefusal, Visits } from '../../verify/visits.ts'
import type { MemberQuests } from '../../claims/member-quests.ts'
import { actDescriptions } from './act-route-descriptions.ts'
import { limitedQuest } from './limited-quest.ts'

const statuses: Record<VisitRefusal, number> = {
  forged: 400,
  'signed-out': 401,
  'other-account': 403,
  changed: 404,
  expired: 410,
  limited: 429,
}

/** `/api/quests/:id/quizzes`, `/api/quests/:id/visits` and `/visit`: what a member does to meet a condition. */
export function registerMemberActs(
  scope: FastifyInstance,
  services: Services,
  { quests, quizzes, visits }: { quests: MemberQuests; quizzes: Quizzes; visits: Visits },
): void {
  const { config, site } = services
  const limited = limitedQuest(quests, verificationsByAccount)
  const read = { ...actDescriptions.quiz, resource: limitedQuest(quests, questReadsByAccount) }
  const answered = { ...actDescriptions.answer, resource: limited }
  const visited = { ...actDescriptions.visit, resource: limited }

  route(scope, services, read, async ({ accountId, params: { credentialId }, resource: quest }) => {
    await limitByAccount(services, questReadsByAccount, accountId)
    const { attempts, ...quiz } = await quizzes.read({ accountId, quest, credentialId })
    const { nextAt, ...counts } = attempts
    return { ...quiz, attempts: { ...counts, nextAttemptAt: nextAt?.toISOString() ?? null } }
  })

  route(scope, services, answered, async ({ accountId, params: { credentialId }, resource: quest, body }) => {
    await limitByAccount(services, verificationsByAccount, accountId)
    const request = { accountId, quest, credentialId, ...body, allowedAddresses: 'all' } as const
    const { passed, right, attempts, kind, change } = await quizzes.answer(request)
    return {
      passed,
      right: right ?? null,
      attemptsLeft: attempts.left,
      nextAttemptAt: attempts.nextAt?.toISOString() ?? null,
      kind: kind ?? null,
      listChanged: change !== null,
    }
  })

  route(scope, services, visited, async ({ accountId, params: { credentialId }, resource: quest, body }) => {
    await limitByAccount(services, verificationsByAccount, accountId)
    const request = { accountId, quest, credentialId, ...body, allowedAddresses: 'all' } as const
    const { ticket, expiresAt } = await visits.createTicket(request)
    return { url: `${site.issuer}${actDescriptions.open.path}?link=${ticket}`, expiresAt: expiresAt.toISOString() }
  })

  route(scope, services, actDescriptions.open, async ({ request, reply, query: ticket }) => {
    void reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
    if (isPrefetch(request)) return reply.code(204).send()
    const session = await sessionOf(services, request)
    const opened = session ? await visits.open(ticket, session.accountId) : { refused: 'signed-out' as const }
    if ('target' in opened) return reply.redirect(opened.target, 303)
    const { refused } = opened
    return sendPage(reply, statuses[refused], config.brand, ({ visit, home }) => ({
      title: visit.title,
      body: html`<main id="main" class="alone">
        <h1>${visit.title}</h1>
        <p>${visit.refusals[refused]}</p>
        <p>${visit.help} <a href="/my">${home.myQuests}</a></p>
      </main>`,
    }))
  })
}

/** Whether the browser prefetches the page. Its user may never open it. */
const isPrefetch = ({ headers }: FastifyRequest): boolean =>
  ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) =>
    /prefetch|prerender|preview/i.test(String(headers[name] ?? '')),
  )
