import type { ServerResponse } from 'node:http'
import type { Answer } from '../../support/upstream.ts'

interface Vote {
  voter: string
  created: number
  proposal: string
  space: string
}

/** The GraphQL API of Snapshot's hub: votes (docs.snapshot.box/tools/api). */
export interface SnapshotApi {
  votes: Vote[]
  apiKeys: (string | undefined)[]
  answer: Answer
}

interface Asked {
  query: string
  variables: { where: Record<string, unknown>; first: number; skip: number }
}

export function snapshotApi(): SnapshotApi {
  const api: SnapshotApi = { votes: [], apiKeys: [], answer }

  function answer({ url, method, body, headers }: Parameters<Answer>[0], response: ServerResponse): void {
    const send = (content: object) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(content))
    if (url !== '/graphql' || method !== 'POST') return void response.writeHead(404).end()
    api.apiKeys.push(headers['x-api-key'] as string | undefined)
    const { query, variables } = JSON.parse(body) as Asked
    if (!/votes\(where: \$where, first: \$first, skip: \$skip, orderBy: "created", orderDirection: asc\)/.test(query))
      return send({ errors: [{ message: 'Cannot query field' }] })
    const { where, first, skip } = variables
    if (first > 1000) return send({ errors: [{ message: 'The `first` argument must not be greater than 1000' }] })
    if (skip > 5000) return send({ errors: [{ message: 'The `skip` argument must not be greater than 5000' }] })
    const found = api.votes
      .filter(
        (vote) =>
          (!where.proposal || vote.proposal === where.proposal) &&
          (!where.space || vote.space === where.space) &&
          // The hub ignores a bound of 0, and compares voters as text.
          (!where.created_gte || vote.created >= (where.created_gte as number)) &&
          (!where.voter_in || (where.voter_in as string[]).includes(vote.voter)),
      )
      .toSorted((a, b) => a.created - b.created)
      .slice(skip, skip + first)
    return send({ data: { votes: found.map(({ voter, created }) => ({ voter, created })) } })
  }
  return api
}
