import type { FastifyInstance } from 'fastify'
import { route } from '../../api/route.ts'
import { audit, type SecurityEvent } from '../../audit/audit.ts'
import { HOUR, SECOND } from '../../clock.ts'
import { notFound, tooManyRequests } from '../../errors.ts'
import { PICTURE_HEADERS } from '../../images/picture-headers.ts'
import type { Renderer } from '../../images/renderer.ts'
import { readUploadedImage, type UploadedImage } from '../../images/uploaded-image.ts'
import { logosByAccount } from '../../rate-limits/limits.ts'
import { countAttempt } from '../../rate-limits/fixed-window.ts'
import type { Services } from '../../services.ts'
import { type SessionRef, withSession } from '../../sessions/with-account.ts'
import { requireRight } from '../../teams/permissions.ts'
import { findLogo, storeLogo } from './logo.queries.ts'
import { spaceDescriptions } from './space-route-descriptions.ts'

/** The path of a logo for the team of the space. */
export const logoPath = (spaceId: number, version: string): string => `/api/spaces/${spaceId}/logo?v=${version}`

/** `/api/spaces/:id/logo`: the logo that the public pages of a space show. */
export function registerSpaceLogo(scope: FastifyInstance, services: Services, renderer: Renderer): void {
  const { kysely } = services.database

  route(scope, services, spaceDescriptions.logo, async ({ reply, params: { id } }) => {
    const logo = await findLogo(kysely, id)
    if (!logo) throw notFound('Logo')
    return reply
      .headers({
        ...PICTURE_HEADERS,
        'content-type': 'image/png',
        'cache-control': `private, max-age=${HOUR / SECOND}`,
      })
      .send(logo)
  })

  route(
    scope,
    services,
    spaceDescriptions.uploadLogo,
    async ({ session, network, accountId, params: { id }, body }) => {
      const { exceeded, retryAfter } = await countAttempt(services, logosByAccount, accountId)
      if (exceeded) throw tooManyRequests(retryAfter)
      const image = await readUploadedImage(renderer, body.image)
      await change(session, network, id, image)
      return { logo: logoPath(id, image.version) }
    },
  )

  route(scope, services, spaceDescriptions.removeLogo, ({ session, network, params: { id } }) =>
    change(session, network, id, undefined),
  )

  async function change(session: SessionRef, network: string, spaceId: number, image: UploadedImage | undefined) {
    const event: SecurityEvent = image ? 'space.logo-changed' : 'space.logo-removed'
    await withSession(services, session, async (trx) => {
      await requireRight(trx, session.accountId, spaceId, 'manage')
      if (!(await storeLogo(trx, spaceId, image))) return
      const details = { space: String(spaceId) }
      await audit(services, { accountId: session.accountId, event, network, details }, trx)
    })
  }
}
