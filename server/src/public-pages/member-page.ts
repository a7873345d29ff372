import type { Kysely } from 'kysely'
import { canonicalMember, mayBePublic } from '../addresses/addresses.ts'
import { DAY } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { html, type Html } from '../text/html.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import { isoDay, member, moved, type ServiceQuery, rankLine, shortAddress, type Shown } from './parts.ts'
import { withPictures } from './member-picture.ts'
import { CARD_FIELDS, type OpenQuests, questList } from './quest-list.ts'
import { questsPath } from './quests-page.ts'
import { listNewestSprints, type PublishedSpace, readCompletedQuests, readRanksSince } from './space-pages.queries.ts'
import { MOVEMENTS, movements } from './space-page.ts'

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

/** More quests are read than shown, because the member may have completed some of them. */
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
    list { ${CARD_FIELDS} }
  }
}`

const ON_BOARD =
  'query CommunityMemberIsOnBoard($id: Int!, $address: String!) { space(id: $id) { addressLoyaltyPoints(address: $address) { rank } } }'

const IN_SPRINT = `query CommunityMemberInSprint($id: Int!, $address: String!, $sprintId: Int!) {
  space(id: $id) { addressLoyaltyPoints(address: $address, sprintId: $sprintId) { rank points totalCount percentile } }
}`

const MAX_SPRINTS = 6
const LINE_DAYS = 30
/** Members shown above and below the member. */
const NEIGHBOURS = 2

interface MemberView {
  space: PublishedSpace
  /** The address as it is in the URL. */
  address: string
  now: number
  site: { issuer: string }
  texts: PageTexts
}

/** The public page of a member of a space; undefined if the address cannot be public or is not on the board. */
export async function memberPage(kysely: Kysely<DB>, ask: ServiceQuery, view: MemberView): Promise<Shown | undefined> {
  const { space, now, texts: t } = view
  const { spaceId: id } = space
  const address = canonicalMember(view.address)
  if (address === undefined || !mayBePublic(address)) return undefined
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
  const open = await questsToComplete(kysely, quests, address)
  const ranks = withPictures(shown.loyaltyPointsRanks.list, view.site)
  const place = ranks.findIndex((one) => one.address.address === address)
  const near = ranks.slice(Math.max(0, place - NEIGHBOURS), place + NEIGHBOURS + 1)
  const name = ranks[place]?.address.username || shortAddress(address)
  const picture = ranks[place]?.address.picture
  const line = [...days.map(({ rank }) => rank), own.rank]
  return {
    title: `${name} · ${space.name}`,
    description: t.memberPage.description(own.rank, own.totalCount, space.name, own.points),
    card: {
      names: [name, shortAddress(address)],
      about: [space.name, space.slug],
      seed: name,
      picture,
      note: '',
      panels: [
        { label: t.rank, value: t.of(own.rank, own.totalCount) },
        { label: t.points, value: t.number(own.points) },
      ],
    },
    body: html`<main id="main" class="community" data-you="${t.you}">
      <p><a href="/s/${space.slug}">${space.name}</a></p>
      <h1 class="member-heading">${member({ username: name, address, picture }, 56)}</h1>
      <p class="quiet address">${address}</p>
      <dl class="facts">
        ${fact(t.rank, t.of(own.rank, own.totalCount))} ${fact(t.points, t.number(own.points))}
        ${below(own) > 0 ? fact(t.memberPage.betterThan, t.percent(below(own))) : undefined}
        ${movements.flatMap((period) => {
          const from = now - MOVEMENTS[period] * DAY
          const before = days.find(({ day }) => day >= isoDay(from))?.rank
          if (before === undefined) return []
          return [fact(t.memberPage.inPeriods[period], movedSince(t, own.rank, { before, isNew: joined > from }))]
        })}
      </dl>
      ${
        days.some(({ day }) => day < isoDay(now))
          ? html`<div class="history-line">${rankLine(t, line)} ${axis(t, line, days[0]?.day ?? isoDay(now), now)}</div>
              <p class="quiet">${t.memberPage.lastDays(LINE_DAYS)}</p>`
          : undefined
      }
      <section aria-labelledby="near">
        <h2 id="near">${t.memberPage.around}</h2>
        ${neighbours(t, near, address, space.slug)}
      </section>
      ${sprints.length > 0 ? inSprints(t, sprints, space.slug) : undefined} ${history(t, changes)}
      <section aria-labelledby="quests">
        <h2 id="quests">${t.memberPage.openQuests}</h2>
        ${questList(t, open, {
          none: quests.totalCount > 0 ? t.memberPage.allCompleted : undefined,
          more:
            open.totalCount > open.list.length
              ? html`<a href="${questsPath(space.slug, { state: 'open' })}"
                  >${t.questList.more(open.totalCount - open.list.length)}</a
                >`
              : undefined,
        })}
      </section>
    </main>`,
  }
}

/**
 * The time of the member's first points, in milliseconds since 1970; 0 if `changes`, which are the newest, do not contain
 * them.
 * @param firstDay the day of the first recorded rank; the member can have had points before the ledger began
 */
function joinedAt(changes: Change[], firstDay: string | undefined): number {
  const first = changes.at(-1)
  if (!first || first.balance !== first.amount) return 0
  const time = first.time * 1000
  return firstDay !== undefined && firstDay < isoDay(time) ? 0 : time
}

/** The quests that the member has not completed. */
async function questsToComplete(
  kysely: Kysely<DB>,
  { list, totalCount }: OpenQuests,
  address: string,
): Promise<OpenQuests> {
  const ids = list.map(({ id }) => id)
  const completed = await readCompletedQuests(kysely, ids, address)
  const open = list.filter(({ id }) => !completed.has(id))
  return { list: open.slice(0, SHOWN_QUESTS), totalCount: totalCount - completed.size }
}

type SprintRank = OverallRank & { sprintId: number; name: string }

/** The newest sprints in which the member has points. */
async function readSprints(kysely: Kysely<DB>, ask: ServiceQuery, id: number, address: string): Promise<SprintRank[]> {
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

function movedSince(t: PageTexts, rank: number, { before, isNew }: { before: number; isNew: boolean }): Html | string {
  return isNew ? t.memberPage.isNew : (moved(t, rank, before) ?? t.memberPage.noChange)
}

/** The whole percentage of members with a worse rank. */
const below = ({ rank, totalCount }: OverallRank): number => Math.floor((100 * (totalCount - rank)) / totalCount)

const neighbours = (t: PageTexts, near: Rank[], address: string, slug: string): Html =>
  html`<table>
    <thead>
      <tr>
        <th scope="col">${t.rank}</th>
        <th scope="col">${t.member}</th>
        <th scope="col" class="number">${t.points}</th>
      </tr>
    </thead>
    <tbody>
      ${near.map(
        (one) =>
          html`<tr ${one.address.address === address ? html` class="own"` : undefined}>
            <td>${t.number(one.rank)}</td>
            <th scope="row">${member(one.address, 28, one.address.address === address ? undefined : slug)}</th>
            <td class="number">${t.number(one.points)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`

const inSprints = (t: PageTexts, sprints: SprintRank[], slug: string): Html =>
  html`<section aria-labelledby="sprints">
    <h2 id="sprints">${t.sprints}</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">${t.rank}</th>
          <th scope="col">${t.memberPage.sprint}</th>
          <th scope="col" class="number">${t.points}</th>
        </tr>
      </thead>
      <tbody>
        ${sprints.map(
          (one) =>
            html`<tr>
              <td>${t.number(one.rank)}</td>
              <th scope="row">
                <a href="/s/${slug}?sprint=${one.sprintId}">${one.name || t.sprint(one.sprintId)}</a>
              </th>
              <td class="number">${t.number(one.points)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`

function history(t: PageTexts, changes: Change[]): Html | undefined {
  if (changes.length === 0) return undefined
  return html`<section aria-labelledby="history">
    <h2 id="history">${t.memberPage.latest}</h2>
    <table class="changes">
      <thead>
        <tr>
          <th scope="col">${t.memberPage.time}</th>
          <th scope="col" class="number">${t.memberPage.change}</th>
          <th scope="col" class="number">${t.points}</th>
        </tr>
      </thead>
      <tbody>
        ${changes.map(
          ({ time, amount, balance }) =>
            html`<tr>
              <td>${t.time(time)}</td>
              <td class="number">${amount > 0 ? '+' : ''}${t.number(amount)}</td>
              <td class="number">${balance === null ? '–' : t.number(balance)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`
}

/** The labels of the line of ranks: its first day, its best and worst rank, and today. */
const axis = (t: PageTexts, ranks: readonly number[], firstDay: string, now: number): Html =>
  html`<p class="quiet axis">
    <span>${t.date(Date.parse(firstDay) / 1_000)}</span
    ><span>${t.memberPage.bestAndWorst(Math.min(...ranks), Math.max(...ranks))}</span
    ><span>${t.date(now / 1_000)}</span>
  </p>`
