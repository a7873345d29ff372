import { DAY, SECOND } from '../clock.ts'
import type { Database } from '../database/connection.ts'
import { html, type Html } from '../text/html.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import { readBoardVersions, SHOWN_QUESTS } from './board-versions.queries.ts'
import { findForm, findOnBoard, foundMembers } from './find-member.ts'
import { withPictures } from './member-picture.ts'
import { PODIUM, podiumOf } from './podium.ts'
import {
  about,
  faceOf,
  isoDay,
  member,
  moved,
  type ServiceQuery,
  period,
  rankLine,
  shortAddress,
  type Shown,
  type ValidatedQuery,
} from './parts.ts'
import { CARD_FIELDS, type OpenQuests, questList } from './quest-list.ts'
import { questsPath } from './quests-page.ts'
import type { ShareCard } from './share-card.ts'
import { logoOnCard, spaceLogo } from './space-logo.ts'
import {
  findSprint,
  listNewestSprints,
  type PublishedSpace,
  readRanksSince,
  type SprintPeriod,
} from './space-pages.queries.ts'

interface Rank {
  rank: number
  points: number
  address: { username: string; address: string; avatar: string; picture?: string | undefined }
}

interface Answer {
  space: {
    name: string
    description: string | null
    loyaltyPointsRanks: {
      totalCount: number
      pageInfo: { hasNextPage: boolean; endCursor: string }
      list: Rank[]
    }
  }
}

const BOARD = `query CommunityBoard($id: Int!, $sprintId: Int, $after: String, $around: String) {
  space(id: $id) {
    name
    description
    loyaltyPointsRanks(sprintId: $sprintId, cursorAfter: $after, around: $around) {
      totalCount
      pageInfo { hasNextPage endCursor }
      list { rank points address { username address avatar } }
    }
  }
}`

const QUESTS = `query CommunityQuests($id: ID!) {
  quests(input: { spaceId: $id, statuses: [Active, NotStarted], order: OPEN_FIRST, first: ${SHOWN_QUESTS} }) {
    totalCount
    list { ${CARD_FIELDS} }
  }
  all: quests(input: { spaceId: $id, first: 1 }) { totalCount }
}`

const MAX_SPRINTS = 12
export const MOVEMENTS = { '24h': 1, '7d': 7, '30d': 30 } as const
export type Movement = keyof typeof MOVEMENTS
export const movements = Object.keys(MOVEMENTS) as Movement[]
/** Days in the small chart next to each member. */
const LINE_DAYS = 30

export interface SpaceView {
  space: PublishedSpace
  sprintId: number | undefined
  after: string | undefined
  movement: Movement
  /** A name or an address to find on the board. */
  find: string | undefined
  /** Whether the reader searched for the own place and is not on the board; a later search replaces the hint. */
  isAbsent: boolean
  now: number
  site: { issuer: string }
  texts: PageTexts
}

interface Sources {
  database: Pick<Database, 'kysely' | 'readShared' | 'read'>
  ask: ServiceQuery
  askValidated: ValidatedQuery
}

/** The public page of a space: podium, board, sprints, quests. */
export async function spacePage({ database, ask, askValidated }: Sources, view: SpaceView): Promise<Shown> {
  const { kysely } = database
  const { space, sprintId, now, find, texts: t } = view
  const { spaceId } = space
  const finding =
    find === undefined ? undefined : await findOnBoard(kysely, ask, { spaceId, sprintId, site: view.site }, find)
  const around = finding && 'exact' in finding ? finding.exact : null
  const after = around === null ? (view.after ?? null) : null
  const versions = await readBoardVersions(database, { ...space, sprintId }, now)
  const [board, listed, sprints, sprint] = await Promise.all([
    askValidated(BOARD, { id: spaceId, sprintId: sprintId ?? null, after, around }),
    ask(QUESTS, { id: String(spaceId) }),
    listNewestSprints(kysely, spaceId, MAX_SPRINTS),
    sprintId === undefined ? undefined : findSprint(kysely, spaceId, sprintId),
  ])
  const { space: shown } = board.data as Answer
  const { quests, all } = listed as { quests: OpenQuests; all: { totalCount: number } }
  const { totalCount, pageInfo, list } = shown.loyaltyPointsRanks
  const ranks = withPictures(list, view.site)
  const addresses = ranks.map(({ address }) => address.address)
  const since = isoDay(now - LINE_DAYS * DAY)
  const past = await readRanksSince(kysely, { spaceId, sprintId: sprintId ?? 0 }, addresses, since)
  const histories = Map.groupBy(past, ({ address }) => address)
  const from = isoDay(now - MOVEMENTS[view.movement] * DAY)
  const rows = ranks.map((rank) => {
    const days = histories.get(rank.address.address) ?? []
    return {
      ...rank,
      before: days.find(({ day }) => day >= from)?.rank,
      line: [...days.map((day) => day.rank), rank.rank],
    }
  })
  const description = shown.description ?? ''
  const first = after === null && finding === undefined
  const next = pageInfo.hasNextPage
    ? html`<a rel="next" href="${link(view, { after: pageInfo.endCursor })}">${t.space.next}</a>`
    : undefined
  return {
    title: shown.name,
    description: description || t.space.description(totalCount, shown.name),
    card: first && sprintId === undefined ? cardOf(t, { ...space, name: shown.name }, ranks, totalCount) : undefined,
    // A search also reads names that are not on the board, and no validator covers these.
    validators: find === undefined && board.validators ? [...versions, ...board.validators] : undefined,
    body: html`<main
      id="main"
      class="community"
      data-you="${t.you}"
      data-completed="${t.completed}"
      ${first ? html` data-live` : undefined}
    >
      <div class="space-heading">
        ${spaceLogo(space, 72)}
        <div>
          <h1>${shown.name}</h1>
          ${
            totalCount > 0
              ? html`<p class="quiet">
                  <a href="#board">${t.space.leaderboard}</a>${
                    sprintId === undefined
                      ? html` · <span class="member-count">${t.members(totalCount)}</span>`
                      : undefined
                  }
                </p>`
              : undefined
          }
        </div>
      </div>
      ${about(description)}
      ${first && rows.length > 0 ? podium(t, rows.filter(isOnPodium).slice(0, PODIUM), space.slug) : undefined}
      <section aria-labelledby="quests">
        <h2 id="quests">${t.quests}</h2>
        ${questList(t, quests, {
          more:
            all.totalCount > quests.list.length
              ? html`<a href="${questsPath(space.slug)}">${t.questList.all(all.totalCount)}</a>`
              : undefined,
        })}
      </section>
      <section aria-labelledby="board">
        <h2 id="board">${t.space.leaderboard}</h2>
        ${tabs(view, sprints)} ${sprint && sprintPeriod(t, sprint)} ${totalCount > 0 ? movementLinks(view) : undefined}
        ${totalCount > 0 ? findForm(t, space.slug, sprintId, find) : undefined}
        ${
          view.isAbsent && finding === undefined
            ? html`<p class="empty" id="found">
                ${t.find.absent} <a href="${questsPath(space.slug, { state: 'open' })}">${t.memberPage.openQuests}</a>
              </p>`
            : undefined
        }
        ${finding === undefined ? undefined : html`<p><a href="${link(view, {})}">${t.space.full}</a></p>`}
        ${
          finding !== undefined && 'members' in finding && find !== undefined
            ? foundMembers(t, finding.members, find, (address) => `${link(view, { find: address })}#found`)
            : html`${rows.length === 0 ? html`<p class="empty">${t.space.empty}</p>` : table(rows, view, around)}
                <p class="next">${next}</p>`
        }
        ${totalCount > 0 ? html`<p class="quiet count">${t.members(totalCount)}</p>` : undefined}
      </section>
    </main>`,
  }
}

const cardOf = (t: PageTexts, space: PublishedSpace, ranks: Rank[], totalCount: number): ShareCard => ({
  names: [space.name, space.slug],
  ...logoOnCard(space),
  about: [],
  note: t.members(totalCount),
  panels: podiumOf(
    t,
    ranks.filter(isOnPodium).map(({ rank, points: count, address }) => {
      const { name: shown, place, seed } = faceOf(address)
      return {
        rank,
        names: [shortAddress(shown), shortAddress(place)],
        seed,
        picture: address.picture,
        value: t.pointsCount(count),
      }
    }),
  ),
})

interface Row extends Rank {
  before: number | undefined
  line: number[]
}

/** A member whose points were all undone stays on the board, but not on the podium. */
const isOnPodium = ({ points }: Rank): boolean => points > 0

/** An empty podium is hidden instead of omitted, so that updates of the live board can replace it. */
const podium = (t: PageTexts, rows: Row[], slug: string): Html =>
  html`<ol class="podium" aria-label="${t.space.first}" ${rows.length === 0 ? html` hidden` : undefined}>
    ${rows.map(
      ({ rank, points: count, address }) =>
        html`<li class="place-${rank}">
          ${member(address, 56, slug)}<span class="rank">${t.rankNumber(rank)}</span
          ><strong>${t.number(count)} <span class="unit">${t.pointsWord(count)}</span></strong>
        </li>`,
    )}
  </ol>`

/** @param found the address of the member that was searched */
function table(rows: Row[], { movement, space: { slug }, texts: t }: SpaceView, found: string | null): Html {
  return html`<table>
    <caption class="hidden">
      ${t.space.caption(t.periods[movement])}
    </caption>
    <thead>
      <tr>
        <th scope="col">${t.rank}</th>
        <th scope="col">${t.member}</th>
        <th scope="col" class="line">${t.space.rankIn(LINE_DAYS)}</th>
        <th scope="col" class="number">${t.points}</th>
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr ${row.address.address === found ? html` class="own" id="found"` : undefined}>
            <td>${t.number(row.rank)} ${moved(t, row.rank, row.before)}</td>
            <th scope="row">${member(row.address, 28, slug)}</th>
            <td class="line">${rankLine(t, row.line)}</td>
            <td class="number">${t.number(row.points)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

function tabs(view: SpaceView, sprints: SprintPeriod[]): Html | undefined {
  if (sprints.length === 0) return undefined
  const tab = (sprintId: number | undefined, name: string) =>
    html`<a
      href="${link(view, { sprintId, after: undefined })}"
      ${view.sprintId === sprintId ? html` aria-current="page"` : undefined}
      >${name}</a
    >`
  const { texts: t } = view
  const all = [
    tab(undefined, t.space.overall),
    ...sprints.map(({ sprintId, name }) => tab(sprintId, name || t.sprint(sprintId))),
  ]
  return html`<nav class="tabs" aria-label="${t.sprints}">${all}</nav>`
}

function sprintPeriod(texts: PageTexts, { startTime, endTime }: SprintPeriod): Html | undefined {
  const seconds = (time: Date | null) => (time ? time.getTime() / SECOND : null)
  return period(texts, seconds(startTime), seconds(endTime))
}

function movementLinks(view: SpaceView): Html {
  const { texts: t } = view
  const one = (movement: Movement) =>
    html`<a href="${link(view, { movement })}" ${view.movement === movement ? html` aria-current="true"` : undefined}
      >${t.periods[movement]}</a
    >`
  return html`<nav class="tabs small" aria-label="${t.space.movement}">
    <span class="quiet" aria-hidden="true">${t.space.movement}</span>${movements.map(one)}
  </nav>`
}

/** The URL of this page with other parameters. */
function link(view: SpaceView, other: Partial<Pick<SpaceView, 'sprintId' | 'after' | 'movement' | 'find'>>): string {
  const { sprintId, after, movement, find } = { ...view, find: undefined, ...other }
  const query = new URLSearchParams()
  if (sprintId !== undefined) query.set('sprint', String(sprintId))
  if (movement !== '7d') query.set('movement', movement)
  if (after !== undefined) query.set('after', after)
  if (find !== undefined) query.set('find', find)
  const text = query.toString()
  return `/s/${view.space.slug}${text === '' ? '' : `?${text}`}`
}
