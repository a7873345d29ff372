import { expect } from 'vitest'
import { setOperator } from '../../src/accounts/account.queries.ts'
import { importJob } from '../../src/ingest-uploads/job.ts'
import { startWorld, type World } from './fixture.ts'
import { type SignedIn, signedInBrowser } from './oauth-flow.ts'

export const IMPORTS = '/api/operator/imports'

export interface Uploads<Shown> {
  world: World
  operator: SignedIn
  /** The operator, as imports show their accounts. */
  author: { id: string; username: string }
  upload: (body: string | Buffer, fileName: string, more?: Record<string, string>) => Promise<Response<Shown>>
  view: (id: string) => Promise<Shown>
  act: (id: string, action: 'apply' | 'cancel' | 'undo', as?: SignedIn) => Promise<Response<Shown>>
  /** Runs the work that is due until it has ended. */
  work: () => Promise<void>
  checked: (body: string | Buffer, fileName: string, more?: Record<string, string>) => Promise<Shown>
  applied: (id: string) => Promise<Shown>
}

interface Response<Shown> {
  status: number
  body: Shown
}

/** A service with an operator who uploads files to import. Call `world.stop` at the end. */
export async function startUploads<Shown extends { id: string }>(): Promise<Uploads<Shown>> {
  const world = await startWorld()
  const operator = await signedInBrowser(world.app)
  await setOperator(world.database.kysely, operator.account.id, new Date(world.clock.now()))
  const author = { id: operator.account.id, username: operator.account.username }
  const uploads: Uploads<Shown> = {
    world,
    operator,
    author,
    async upload(body, fileName, more = {}) {
      const cookie = [...operator.browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const headers = { cookie, 'x-csrf-token': await operator.browser.csrfToken() }
      const url = `${world.url}${IMPORTS}/uploads?${new URLSearchParams({ fileName, ...more })}`
      const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) })
      return { status: response.status, body: (await response.json()) as Shown }
    },
    view: async (id) => (await operator.browser.get(`${IMPORTS}/${id}`)).json<Shown>(),
    async act(id, action, { browser } = operator) {
      const response = await browser.call('POST', `${IMPORTS}/${id}/${action}`)
      return { status: response.statusCode, body: response.json<Shown>() }
    },
    async work() {
      const job = importJob(world.deps)
      const now = world.clock.now()
      await job.run({ now, agreedNow: async () => world.clock.now(), signal: AbortSignal.timeout(30_000) })
      await job.stop?.()
    },
    async checked(body, fileName, more) {
      const { id } = (await uploads.upload(body, fileName, more)).body
      await uploads.work()
      return uploads.view(id)
    },
    async applied(id) {
      expect((await uploads.act(id, 'apply')).status).toBe(202)
      await uploads.work()
      return uploads.view(id)
    },
  }
  return uploads
}
