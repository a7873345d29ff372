import { setOperator } from '../../src/accounts/account.queries.ts'
import { type SignedIn, signedInBrowser } from '../support/oauth-flow.ts'
import { type ServiceOptions, type SignInService, startSignIn } from '../support/oauth-service.ts'

export interface Answer<T = Record<string, unknown>> {
  status: number
  body: T
}

/** Someone who calls the JSON API. */
export interface Editor extends SignedIn {
  get<T = never>(path: string): Promise<Answer<T>>
  call<T = never>(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer<T>>
}

export interface ContentService extends SignInService {
  operator: Editor
  /** A new account. */
  someone(): Promise<Editor>
  /** A new account with a role in a space. */
  withRole(spaceId: number, role: 'owner' | 'admin' | 'editor' | 'viewer'): Promise<Editor>
  /** The newest audit entries of an account, newest first. */
  logOf(editor: Editor): Promise<{ event: string; details: Record<string, string> }[]>
}

/** The service, whose responses must match the OpenAPI document, with an operator. */
export async function startContent(options: ServiceOptions = {}): Promise<ContentService> {
  const service = await startSignIn({ checkAnswers: true, ...options })
  const someone = async () => editorOf(await signedInBrowser(service))
  const operator = await someone()
  await setOperator(service.database.kysely, operator.account.id, new Date(service.clock.now()))
  return {
    ...service,
    operator,
    someone,
    async withRole(spaceId, role) {
      const editor = await someone()
      const { id } = editor.account
      await service.database.query(
        role === 'owner'
          ? 'UPDATE spaces SET owner_account_id = $2 WHERE space_id = $1 AND $3::text IS NOT NULL'
          : 'INSERT INTO space_members (space_id, account_id, role, added_at) VALUES ($1, $2, $3, now())',
        [spaceId, id, role],
      )
      return editor
    },
    async logOf({ account }) {
      return service.database.query(
        'SELECT event, details FROM security_events WHERE account_id = $1 ORDER BY happened_at DESC, event',
        [account.id],
      )
    },
  }
}

function editorOf(signedIn: SignedIn): Editor {
  const { browser } = signedIn
  const answer = <T>({ statusCode, body }: { statusCode: number; body: string }): Answer<T> => ({
    status: statusCode,
    body: (body === '' ? {} : JSON.parse(body)) as T,
  })
  return {
    ...signedIn,
    get: async (path) => answer(await browser.get(path)),
    call: async (method, path, body) => answer(await browser.call(method, path, body)),
  }
}

export interface ErrorBody {
  error: { code: string; message: string; field?: string; problems?: { field: string; message: string }[] }
}
