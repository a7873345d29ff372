import { z } from 'zod'
import type { SourceContext, Reading } from '../reading.ts'
import { sourceKind } from '../source-kind.ts'
import { requestGithub, hasNext, listIn, loginOf, PAGE_SIZE, repository } from './github-request.ts'

const schema = z.strictObject({
  ...repository,
  kind: z.literal('GITHUB_CONTRIBUTOR'),
  /** The number of commits that a contributor needs. */
  minimum: z.int().min(1).max(PAGE_SIZE).default(1),
})
type ContributorSource = z.output<typeof schema>

/** Contributors without a GitHub account are not listed. */
const contributorShape = z.looseObject({ id: z.int().positive(), contributions: z.int() })
const commitShape = z.looseObject({ author: z.looseObject({ id: z.int().optional() }).nullish() })

/** Users with commits on the default branch of a repository, by their immutable id. */
export const githubContributor = sourceKind({
  schema,
  platform: true,
  credType: 'GITHUB',
  host: () => 'github.com',
  list: readContributors,
  check: hasCommits,
})

async function readContributors(reading: Reading, source: ContributorSource): Promise<void> {
  for (let page = 1; ; page++) {
    const path = `/repos/${source.repository}/contributors?per_page=${PAGE_SIZE}&page=${page}`
    const answer = await requestGithub(reading, source.token, path, [204])
    const contributors = listIn(answer, contributorShape)
    await reading.give(
      contributors.filter(({ contributions }) => contributions >= source.minimum).map(({ id }) => String(id)),
    )
    if (!hasNext(answer)) return
  }
}

/** Counts commits by the login, and compares their immutable author, because a login can get a new owner. */
async function hasCommits(context: SourceContext, source: ContributorSource, holder: string): Promise<boolean> {
  const login = await loginOf(context, source.token, holder)
  if (login === undefined) return false
  const path = `/repos/${source.repository}/commits?author=${encodeURIComponent(login)}&per_page=${PAGE_SIZE}`
  const answer = await requestGithub(context, source.token, path, [409])
  // The repository is empty.
  if (answer.status === 409) return false
  return listIn(answer, commitShape).filter(({ author }) => String(author?.id) === holder).length >= source.minimum
}
