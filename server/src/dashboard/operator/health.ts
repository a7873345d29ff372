import type { FastifyInstance } from 'fastify'
import { route } from '../../api/route.ts'
import { SECOND } from '../../clock.ts'
import { examine } from '../../doctor/examine.ts'
import type { Finding } from '../../doctor/finding.ts'
import { asTyped, PROGRAM } from '../../settings/called-as.ts'
import type { FindingMessage, FindingValue } from '../../texts/findings.ts'
import { nowOf, type Services } from '../../services.ts'
import { secretsOf } from './config-secrets.ts'
import { operatorDescriptions } from './route-descriptions.ts'
import { countWork } from './health.queries.ts'
import { lateAndDisabledWebhooks } from './late-and-disabled-webhooks.ts'

/** The timeout for each machine. */
const TIMEOUT = 5 * SECOND
const MASK = '***'

/** `/api/operator/health`, `/api/operator/inbox`: the checks of `questboard doctor`, run by the service, and pending work. */
export function registerOperatorHealth(scope: FastifyInstance, services: Services): void {
  const { config, clock, log, database } = services
  const secrets = secretsOf(config)
  const hide = (text: string) => secrets.reduce((shown, secret) => shown.replaceAll(secret, MASK), text)
  const hideIn = (value: FindingValue): FindingValue => {
    if (typeof value === 'string') return hide(value)
    if (typeof value === 'number') return value
    return value.map(({ code, parameters }) => ({
      code,
      parameters: Object.fromEntries(
        Object.entries(parameters).map(([name, one]) => [name, typeof one === 'string' ? hide(one) : one]),
      ),
    }))
  }
  /** With the command that starts the program, which texts can name. */
  const shownMessage = ({ code, parameters }: FindingMessage): FindingMessage => ({
    code,
    parameters: {
      program: PROGRAM,
      ...Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, hideIn(value)])),
    },
  })
  let examining: Promise<Finding[]> | undefined

  route(scope, services, operatorDescriptions.inbox, async () => {
    const work = await countWork(database.kysely, nowOf(services))
    const { appsPending, appChanges, syncsFailed, syncsHeld, deliveriesLate, webhooksDisabled, bansEnding } = work
    return {
      appsPending,
      appChanges,
      syncsFailed: syncsFailed - syncsHeld,
      syncsHeld,
      deliveriesLate,
      webhooksDisabled,
      bansEnding,
    }
  })

  route(scope, services, operatorDescriptions.health, async () => {
    const now = nowOf(services)
    // Concurrent requests share one examination, because each examination contacts all configured machines.
    examining ??= examine({ config, clock, log, timeout: TIMEOUT }).finally(() => {
      examining = undefined
    })
    const [findings, work, webhooks] = await Promise.all([
      examining,
      countWork(database.kysely, now),
      lateAndDisabledWebhooks(database.kysely, now),
    ])
    return {
      checkedAt: now,
      work,
      webhooks,
      findings: findings.map(({ name, check, subject, state, says, advice, message }) => ({
        name,
        check,
        subject: subject ?? null,
        state,
        says: hide(says),
        advice: advice === undefined ? null : hide(asTyped(advice)),
        message: shownMessage(message),
      })),
    }
  })
}
