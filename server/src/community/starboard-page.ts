import { html, type Html } from '../text/html.ts'
import { podiumOf } from './podium.ts'
import { countOf, longDate, moved, type OwnQuery, picture, points, type Shown } from './parts.ts'

interface Node {
  xUserProfile: { username: string; name: string; followersCount: number }
  rank: { value: string; delta: number }
  influenceScore: { value: string }
  change24H: { deltaRate: number }
  change7D: { deltaRate: number }
  change30D: { deltaRate: number }
}

interface Answer {
  starboard: {
    basicInfo: {
      name: string
      projectName: string
      description: string
      tags: string[]
      reward: { name: string; description: string; startTime: number | null; endTime: number | null } | null
    }
    leaderboard: {
      totalCount: number
      pageInfo: { hasNextPage: boolean; endCursor: string }
      edges: { node: Node }[]
    }
  }
}

const QUERY = `query CommunityStarboard($id: ID!, $after: String) {
  starboard(id: $id) {
    basicInfo { name projectName description tags reward { name description startTime endTime } }
    leaderboard(pagination: { forward: { first: 50, after: $after } }) {
      totalCount
      pageInfo { hasNextPage endCursor }
      edges {
        node {
          xUserProfile { username name followersCount }
          rank { value delta }
          influenceScore { value }
          change24H { deltaRate }
          change7D { deltaRate }
          change30D { deltaRate }
        }
      }
    }
  }
}`

/** The public page of a starboard: its ranking, with the changes of scores. */
export async function starboardPage(ask: OwnQuery, id: string, after: string | undefined): Promise<Shown> {
  const { basicInfo, leaderboard } = ((await ask(QUERY, { id, after: after ?? null })) as Answer).starboard
  const { name, projectName, description, tags, reward } = basicInfo
  const { totalCount, pageInfo, edges } = leaderboard
  const next = new URLSearchParams({ after: pageInfo.endCursor }).toString()
  return {
    title: name,
    description: description || `${countOf(totalCount, 'ranked user', 'ranked users')} in ${name}.`,
    card:
      after === undefined
        ? {
            names: [name, 'Starboard'],
            about: projectName === '' ? [] : [projectName, ''],
            note: countOf(totalCount, 'user', 'users'),
            panels: podiumOf(
              edges.map(({ node: { xUserProfile: user, rank, influenceScore } }) => ({
                rank: Number(rank.value),
                names: [user.name, `@${user.username}`],
                seed: user.username,
                value: score(Number(influenceScore.value)),
              })),
            ),
          }
        : undefined,
    body: html`<main id="main" class="community">
      ${projectName === '' ? undefined : html`<p class="quiet">${projectName}</p>`}
      <h1>${name}</h1>
      ${description === '' ? undefined : html`<p class="lead">${description}</p>`}
      ${tags.length > 0 ? html`<p class="quiet">${tags.join(' · ')}</p>` : undefined}
      ${reward ? rewardOf(reward) : undefined}
      <section aria-labelledby="ranking">
        <h2 id="ranking">Ranking</h2>
        ${edges.length === 0 ? html`<p class="empty">No ranked users yet.</p>` : ranking(edges.map(({ node }) => node))}
        ${pageInfo.hasNextPage ? html`<p><a rel="next" href="/b/${id}?${next}">Next users</a></p>` : undefined}
        <p class="quiet">${countOf(totalCount, 'user', 'users')}</p>
      </section>
    </main>`,
  }
}

function rewardOf(reward: NonNullable<Answer['starboard']['basicInfo']['reward']>): Html {
  const { name, description, startTime, endTime } = reward
  const period = [
    startTime === null ? '' : `from ${longDate(startTime)}`,
    endTime === null ? '' : `until ${longDate(endTime)}`,
  ].filter((part) => part !== '')
  return html`<section class="group" aria-labelledby="reward">
    <h2 id="reward">${name || 'Reward'}</h2>
    ${description === '' ? undefined : html`<p>${description}</p>`}
    ${period.length > 0 ? html`<p class="quiet">${period.join(' ')}</p>` : undefined}
  </section>`
}

const ranking = (nodes: Node[]): Html =>
  html`<table class="ranking">
    <caption class="hidden">
      Users by score, with the change of the score
    </caption>
    <thead>
      <tr>
        <th scope="col">Rank</th>
        <th scope="col">User</th>
        <th scope="col" class="number">Score</th>
        <th scope="col" class="number wide">24 h</th>
        <th scope="col" class="number wide">7 d</th>
        <th scope="col" class="number wide">30 d</th>
      </tr>
    </thead>
    <tbody>
      ${nodes.map(({ xUserProfile: { name, username }, rank, influenceScore, ...changes }) => {
        const value = Number(rank.value)
        return html`<tr>
          <td>${points(value)} ${moved(value, value - rank.delta)}</td>
          <th scope="row">
            <span class="member"
              >${picture(username, 28)}<span class="name">${name} <span class="quiet">@${username}</span></span></span
            >
          </th>
          <td class="number">${score(Number(influenceScore.value))}</td>
          <td class="number wide">${changed(changes.change24H.deltaRate)}</td>
          <td class="number wide">${changed(changes.change7D.deltaRate)}</td>
          <td class="number wide">${changed(changes.change30D.deltaRate)}</td>
        </tr>`
      })}
    </tbody>
  </table>`

const MIN_WHOLE = 1_000
const small = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })

/** Fractions of large scores say nothing. */
const score = (value: number): string => (value < MIN_WHOLE ? small.format(value) : points(Math.round(value)))

const rates = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' })

const changed = (rate: number): Html =>
  html`<span class="${rate > 0 ? 'up' : rate < 0 ? 'down' : 'same'}">${rates.format(rate)}</span>`
