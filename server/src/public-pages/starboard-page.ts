import { html, type Html } from '../text/html.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import { podiumOf } from './podium.ts'
import { about, moved, type ServiceQuery, period, picture, type Shown } from './parts.ts'

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
export async function starboardPage(
  t: PageTexts,
  ask: ServiceQuery,
  id: string,
  after: string | undefined,
): Promise<Shown> {
  const { basicInfo, leaderboard } = ((await ask(QUERY, { id, after: after ?? null })) as Answer).starboard
  const { name, projectName, description, tags, reward } = basicInfo
  const { totalCount, pageInfo, edges } = leaderboard
  const texts = t.starboard
  const next = new URLSearchParams({ after: pageInfo.endCursor }).toString()
  return {
    title: name,
    description: description || texts.description(totalCount, name),
    card:
      after === undefined
        ? {
            names: [name, texts.name],
            about: projectName === '' ? [] : [projectName, ''],
            note: texts.users(totalCount),
            panels: podiumOf(
              t,
              edges.map(({ node: { xUserProfile: user, rank, influenceScore } }) => ({
                rank: Number(rank.value),
                names: [user.name, `@${user.username}`],
                seed: user.username,
                value: score(t, Number(influenceScore.value)),
              })),
            ),
          }
        : undefined,
    body: html`<main id="main" class="community">
      ${projectName === '' ? undefined : html`<p class="quiet">${projectName}</p>`}
      <h1>${name}</h1>
      ${about(description)} ${tags.length > 0 ? html`<p class="quiet">${tags.join(' · ')}</p>` : undefined}
      ${reward ? rewardOf(t, reward) : undefined}
      <section aria-labelledby="ranking">
        <h2 id="ranking">${texts.ranking}</h2>
        ${
          edges.length === 0
            ? html`<p class="empty">${texts.empty}</p>`
            : ranking(
                t,
                edges.map(({ node }) => node),
              )
        }
        ${pageInfo.hasNextPage ? html`<p><a rel="next" href="/b/${id}?${next}">${texts.next}</a></p>` : undefined}
        <p class="quiet">${texts.users(totalCount)}</p>
      </section>
    </main>`,
  }
}

function rewardOf(t: PageTexts, reward: NonNullable<Answer['starboard']['basicInfo']['reward']>): Html {
  const { name, description, startTime, endTime } = reward
  return html`<section class="group" aria-labelledby="reward">
    <h2 id="reward">${name || t.starboard.reward}</h2>
    ${about(description)} ${period(t, startTime, endTime)}
  </section>`
}

const ranking = (t: PageTexts, nodes: Node[]): Html =>
  html`<table class="ranking">
    <caption class="hidden">
      ${t.starboard.caption}
    </caption>
    <thead>
      <tr>
        <th scope="col">${t.rank}</th>
        <th scope="col">${t.starboard.user}</th>
        <th scope="col" class="number">${t.starboard.score}</th>
        <th scope="col" class="number wide">${t.starboard.change24H}</th>
        <th scope="col" class="number wide">${t.starboard.change7D}</th>
        <th scope="col" class="number wide">${t.starboard.change30D}</th>
      </tr>
    </thead>
    <tbody>
      ${nodes.map(({ xUserProfile: { name, username }, rank, influenceScore, ...changes }) => {
        const value = Number(rank.value)
        return html`<tr>
          <td>${t.number(value)} ${moved(t, value, value - rank.delta)}</td>
          <th scope="row">
            <span class="member" title="${name} · @${username}"
              >${picture(username, 28)}<span class="name">${name} <span class="quiet">@${username}</span></span></span
            >
          </th>
          <td class="number">${score(t, Number(influenceScore.value))}</td>
          <td class="number wide">${changed(t, changes.change24H.deltaRate)}</td>
          <td class="number wide">${changed(t, changes.change7D.deltaRate)}</td>
          <td class="number wide">${changed(t, changes.change30D.deltaRate)}</td>
        </tr>`
      })}
    </tbody>
  </table>`

const MIN_WHOLE = 1_000

/** Fractions of large scores say nothing. */
const score = ({ number, decimal }: PageTexts, value: number): string =>
  value < MIN_WHOLE ? decimal(value) : number(Math.round(value))

const changed = (t: PageTexts, rate: number): Html =>
  html`<span class="${rate > 0 ? 'up' : rate < 0 ? 'down' : 'same'}">${t.rate(rate)}</span>`
