import type { Kysely } from 'kysely'
import { canonicalMember } from '../addresses/addresses.ts'
import { DAY } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { html, type Html } from '../text/html.ts'
import {
  exactTime,
  isoDay,
  isOpen,
  member,
  moved,
  type OwnQuery,
  points,
  rankLine,
  shortAddress,
  type Shown,
} from './parts.ts'
import { withPictures } from './member-picture.ts'
import { type OpenQuests, questList } from './quest-list.ts'
import { listNewestSprints, type PublishedSpace, readCompletedQuests, readRanksSince } from './space-pages.queries.ts'
import { MOVEMENTS } from './space-page.ts'

interface OverallRank {
  rank: number
  points: number
  totalCount: number
  percentile: number
}

interface Rank {
  rank: number
  points: number
  address: { username: string; address: string; avatar: string; picture?: string | undefined }
}

interface Change {
  amount: number
  balance: number | null
  time: number
  sprintId: number | null
}

interface Answer {
  space: {
    addressLoyaltyPoints: OverallRank | null
    loyaltyPointsRanks: { list: Rank[] }
    addressLoyaltyPointsHistory: { list: Change[] }
  }
  quests: OpenQuests
}

/** Quests that are read, because the member has completed some of them, and quests that are shown. */
const READ_QUESTS = 12
const SHOWN_QUESTS = 6

const QUERY = `query CommunityMember($id: Int!, $text: ID!, $address: String!) {
  space(id: $id) {
    addressLoyaltyPoints(address: $address) { rank points totalCount percentile }
    loyaltyPointsRanks(around: $address) { list { rank points address { username address avatar } } }
    addressLoyaltyPointsHistory(address: $address, first: 20) { list { amount balance time sprintId } }
  }
  quests(input: { spaceId: $text, statuses: [Active], first: ${READ_QUESTS} }) {
    totalCount
    list { id name status loyaltyPoints endTime }
  }
}`

const ON_BOARD =
  'query CommunityMemberIsOnBoard($id: Int!, $address: String!) { space(id: $id) { addressLoyaltyPoints(address: $address) { rank } } }'

const IN_SPRINT = `query CommunityMemberInSprint($id: Int!, $address: String!, $sprintId: Int!) {
  space(id: $id) { addressLoyaltyPoints(address: $address, sprintId: $sprintId) { rank points totalCount percentile } }
}`

const MAX_SPRINTS = 6
const LINE_DAYS = 30
/** Members shown on each side. */
const NEIGHBOURS = 2

interface MemberView {
  space: PublishedSpace
  /** As in the URL. */
  address: string
  now: number
  site: { issuer: string }
}

/** The public page of a member of a space. Undefined for names that pages do not show, and for others than members. */
export async function memberPage(kysely: Kysely<DB>, ask: OwnQuery, view: MemberView): Promise<Shown | undefined> {
  const { space, now } = view
  const { spaceId: id } = space
  const address = canonicalMember(view.address)
  if (address === undefined || !isOpen(address)) return undefined
  const known = (await ask(ON_BOARD, { id, address })) as Pick<Answer, 'space'>
  if (!known.space.addressLoyaltyPoints) return undefined
  const since = isoDay(now - LINE_DAYS * DAY)
  const [answer, sprints, days] = await Promise.all([
    ask(QUERY, { id, text: String(id), address }),
    readSprints(kysely, ask, id, address),
    readRanksSince(kysely, { spaceId: id, sprintId: 0 }, [address], since),
  ])
  const { space: shown, quests } = answer as Answer
  const own = shown.addressLoyaltyPoints
  if (!own) return undefined
  const changes = shown.addressLoyaltyPointsHistory.list
  const joined = joinedAt(changes, days[0]?.day)
  const open = await openFor(kysely, quests, address)
  const ranks = withPictures(shown.loyaltyPointsRanks.list, view.site)
  const place = ranks.findIndex((one) => one.address.address === address)
  const near = ranks.slice(Math.max(0, place - NEIGHBOURS), place + NEIGHBOURS + 1)
  const name = ranks[place]?.address.username || shortAddress(address)
  const picture = ranks[place]?.address.picture
  return {
    title: `${name} · ${space.name}`,
    description: `Rank ${points(own.rank)} of ${points(own.totalCount)} in ${space.name}, with ${points(own.points)} points.`,
    card: {
      names: [name, shortAddress(address)],
      about: [space.name, space.slug],
      seed: address,
      picture,
      note: '',
      panels: [
        { label: 'Rank', value: `${points(own.rank)} of ${points(own.totalCount)}` },
        { label: 'Points', value: points(own.points) },
      ],
    },
    body: html`<main id="main" class="community">
      <p><a href="/s/${space.slug}">${space.name}</a></p>
      <h1 class="member-heading">${member({ username: name, address, picture }, 56)}</h1>
      <p class="quiet address">${address}</p>
      <dl class="facts">
        ${fact('Rank', html`${points(own.rank)} of ${points(own.totalCount)}`)} ${fact('Points', points(own.points))}
        ${below(own) > 0 ? fact('Better than', `${below(own)}%`) : undefined}
        ${Object.entries(MOVEMENTS).flatMap(([period, count]) => {
          const from = now - count * DAY
          const before = days.find(({ day }) => day >= isoDay(from))?.rank
          if (before === undefined) return []
          return [fact(`In ${period}`, joined > from ? 'new' : (moved(own.rank, before) ?? 'no change'))]
        })}
      </dl>
      ${
        days.some(({ day }) => day < isoDay(now))
          ? html`<div class="history-line">${rankLine([...days.map(({ rank }) => rank), own.rank])}</div>
              <p class="quiet">Rank in the last ${LINE_DAYS} days</p>`
          : undefined
      }
      <section aria-labelledby="near">
        <h2 id="near">Around this rank</h2>
        ${neighbours(near, address, space.slug)}
      </section>
      ${sprints.length > 0 ? inSprints(sprints, space.slug) : undefined} ${history(changes)}
      <section aria-labelledby="quests">
        <h2 id="quests">Open quests</h2>
        ${questList(open, quests.totalCount > 0 ? 'All open quests are completed.' : undefined)}
      </section>
    </main>`,
  }
}

/**
 * When the member got the first points, in milliseconds; 0 if that is not among the changes, which are the newest.
 * @param firstDay the first recorded rank. A member can have had points before the ledger began.
 */
function joinedAt(changes: Change[], firstDay: string | undefined): number {
  const first = changes.at(-1)
  if (!first || first.balance !== first.amount) return 0
  const time = first.time * 1000
  return firstDay !== undefined && firstDay < isoDay(time) ? 0 : time
}

/** The quests that the member has not completed. */
async function openFor(kysely: Kysely<DB>, { list, totalCount }: OpenQuests, address: string): Promise<OpenQuests> {
  const ids = list.map(({ id }) => id)
  const completed = await readCompletedQuests(kysely, ids, address)
  const open = list.filter(({ id }) => !completed.has(id))
  return { list: open.slice(0, SHOWN_QUESTS), totalCount: totalCount - completed.size }
}

type SprintRank = OverallRank & { sprintId: number; name: string }

/** The newest sprints in which the member has points. */
async function readSprints(kysely: Kysely<DB>, ask: OwnQuery, id: number, address: string): Promise<SprintRank[]> {
  const sprints = await listNewestSprints(kysely, id, MAX_SPRINTS)
  const standings = await Promise.all(
    sprints.map(async ({ sprintId, name }) => {
      const { space } = (await ask(IN_SPRINT, { id, address, sprintId })) as Pick<Answer, 'space'>
      return space.addressLoyaltyPoints && { ...space.addressLoyaltyPoints, sprintId, name }
    }),
  )
  return standings.filter((one) => one !== null)
}

const fact = (term: string, value: Html | string): Html =>
  html`<div>
    <dt>${term}</dt>
    <dd>${value}</dd>
  </div>`

/** The whole percentage of members with a worse rank. */
const below = ({ rank, totalCount }: OverallRank): number => Math.floor((100 * (totalCount - rank)) / totalCount)

const neighbours = (near: Rank[], address: string, slug: string): Html =>
  html`<table>
    <thead>
      <tr>
        <th scope="col">Rank</th>
        <th scope="col">Member</th>
        <th scope="col" class="number">Points</th>
      </tr>
    </thead>
    <tbody>
      ${near.map(
        (one) =>
          html`<tr ${one.address.address === address ? html` class="own"` : undefined}>
            <td>${points(one.rank)}</td>
            <th scope="row">${member(one.address, 28, one.address.address === address ? undefined : slug)}</th>
            <td class="number">${points(one.points)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`

const inSprints = (sprints: SprintRank[], slug: string): Html =>
  html`<section aria-labelledby="sprints">
    <h2 id="sprints">Sprints</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">Rank</th>
          <th scope="col">Sprint</th>
          <th scope="col" class="number">Points</th>
        </tr>
      </thead>
      <tbody>
        ${sprints.map(
          (one) =>
            html`<tr>
              <td>${points(one.rank)}</td>
              <th scope="row">
                <a href="/s/${slug}?sprint=${one.sprintId}">${one.name || `Sprint ${one.sprintId}`}</a>
              </th>
              <td class="number">${points(one.points)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`

function history(changes: Change[]): Html | undefined {
  if (changes.length === 0) return undefined
  return html`<section aria-labelledby="history">
    <h2 id="history">Latest changes</h2>
    <table class="changes">
      <thead>
        <tr>
          <th scope="col">Time (UTC)</th>
          <th scope="col" class="number">Change</th>
          <th scope="col" class="number">Points</th>
        </tr>
      </thead>
      <tbody>
        ${changes.map(
          ({ time, amount, balance }) =>
            html`<tr>
              <td>${exactTime(time)}</td>
              <td class="number">${amount > 0 ? '+' : ''}${points(amount)}</td>
              <td class="number">${balance === null ? '–' : points(balance)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`
}
