import { z } from 'zod'
import type { SourceContext, Reading } from '../reading.ts'
import { sourceKind } from '../source-kind.ts'
import { requestGithub, hasNext, listIn, loginOf, PAGE_SIZE, repository } from './github-request.ts'

const schema = z.strictObject({ ...repository, kind: z.literal('GITHUB_STAR') })
type StarSource = z.output<typeof schema>

const stargazerShape = z.looseObject({ id: z.int().positive() })
const starredShape = z.looseObject({ full_name: z.string() })

/** GitHub serves at most these pages of a list. */
const MAX_PAGES = 400
/** Pages of a user's stars, newest first, that one check reads. */
const MAX_STAR_PAGES = 5

/** Users who starred a repository, by their immutable id. */
export const githubStar = sourceKind({
  schema,
  platform: true,
  credType: 'GITHUB',
  host: () => 'github.com',
  list: readStargazers,
  check: hasStarred,
})

/** Needs the token of an admin or a collaborator of the repository. */
async function readStargazers(reading: Reading, source: StarSource): Promise<void> {
  for (let page = 1; page <= MAX_PAGES; page++) {
    const path = `/repos/${source.repository}/stargazers?per_page=${PAGE_SIZE}&page=${page}`
    const answer = await requestGithub(reading, source.token, path)
    await reading.give(listIn(answer, stargazerShape).map(({ id }) => String(id)))
    if (!hasNext(answer)) return
  }
}

/** Reads the newest stars of the user. Undefined if the user has more than one check reads. */
async function hasStarred(context: SourceContext, source: StarSource, holder: string): Promise<boolean | undefined> {
  const login = await loginOf(context, source.token, holder)
  if (login === undefined) return false
  const wanted = source.repository.toLowerCase()
  for (let page = 1; page <= MAX_STAR_PAGES; page++) {
    const path = `/users/${encodeURIComponent(login)}/starred?sort=created&direction=desc&per_page=${PAGE_SIZE}&page=${page}`
    const answer = await requestGithub(context, source.token, path, [404])
    if (answer.status === 404) return false
    if (listIn(answer, starredShape).some(({ full_name: name }) => name.toLowerCase() === wanted)) return true
    if (!hasNext(answer)) return false
  }
  return undefined
}
