import type { ServerResponse } from 'node:http'
import type { Answer } from '../../support/upstream.ts'

export const REPOSITORY = 'octocat/Hello-World'
export const TOKEN = 'github_pat_11ABCDEFG0abcdefghijkl'

/** GitHub's REST API (docs.github.com/rest): users, contributors, commits and stars of one repository. */
export interface GithubApi {
  /** Logins by user id. */
  users: Map<number, string>
  /** Commits by user id. */
  commits: Map<number, number>
  /** Repositories that a user starred, newest first, by user id. */
  stars: Map<number, string[]>
  /** Whether the token is of a collaborator. Only collaborators may list the stars. */
  collaborator: boolean
  empty: boolean
  /** Headers of the next response with status 403. */
  limited: Record<string, string> | undefined
  answer: Answer
}

export function githubApi(): GithubApi {
  const api: GithubApi = {
    users: new Map(),
    commits: new Map(),
    stars: new Map(),
    collaborator: true,
    empty: false,
    limited: undefined,
    answer,
  }
  const user = (id: number) => ({ login: api.users.get(id), id, node_id: 'MDQ6VXNlcjE=', type: 'User' })

  function answer({ url, headers }: Parameters<Answer>[0], response: ServerResponse): void {
    const send = (status: number, body?: unknown, more: Record<string, string> = {}) =>
      void response
        .writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...more })
        .end(body === undefined ? undefined : JSON.stringify(body))
    if (api.limited) {
      const limits = api.limited
      api.limited = undefined
      return send(403, { message: 'You have exceeded a rate limit.' }, limits)
    }
    if (headers.authorization !== `Bearer ${TOKEN}`) return send(401, { message: 'Bad credentials' })
    if (!headers['user-agent']) return send(403, { message: 'Request forbidden by administrative rules.' })
    const at = new URL(url, 'http://api.github')
    const paged = (all: unknown[]) => {
      const size = Math.min(100, Number(at.searchParams.get('per_page') ?? 30))
      const page = Number(at.searchParams.get('page') ?? 1)
      const next = new URL(at)
      next.searchParams.set('page', String(page + 1))
      const link = all.length > page * size ? { link: `<${next.href}>; rel="next", <${at.href}>; rel="first"` } : {}
      send(200, all.slice((page - 1) * size, page * size), link)
    }
    const byLogin = (login: string | null) => [...api.users].find(([, name]) => name === login)?.[0]
    const id = /^\/user\/(\d+)$/.exec(at.pathname)?.[1]
    if (id !== undefined)
      return api.users.has(Number(id)) ? send(200, user(Number(id))) : send(404, { message: 'Not Found' })
    const starredBy = /^\/users\/([^/]+)\/starred$/.exec(at.pathname)?.[1]
    if (starredBy !== undefined) {
      const owner = byLogin(starredBy)
      return owner === undefined
        ? send(404, { message: 'Not Found' })
        : paged((api.stars.get(owner) ?? []).map((full_name) => ({ id: 1296269, full_name })))
    }
    const path = at.pathname.toLowerCase()
    const repository = `/repos/${REPOSITORY.toLowerCase()}`
    if (path === `${repository}/contributors`) {
      if (api.empty) return send(204)
      return paged([...api.commits].map(([one, contributions]) => ({ ...user(one), contributions })))
    }
    if (path === `${repository}/commits`) {
      if (api.empty) return send(409, { message: 'Git Repository is empty.' })
      const author = byLogin(at.searchParams.get('author'))
      const count = author === undefined ? 0 : (api.commits.get(author) ?? 0)
      return paged(Array.from({ length: count }, () => ({ sha: '6dcb09b5', author: user(author as number) })))
    }
    if (path === `${repository}/stargazers`) {
      if (!api.collaborator) return send(403, { message: 'Must be a collaborator to list stargazers.' })
      return paged([...api.stars].filter(([, all]) => all.includes(REPOSITORY)).map(([one]) => user(one)))
    }
    return send(404, { message: 'Not Found' })
  }
  return api
}
