import type { Kysely } from 'kysely'
import { DAY } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { type Brand, logoPath } from '../settings/brand.ts'
import { html, type Html } from '../text/html.ts'
import { countMembers, type ListedSpace, listPublishedSpaces, type MemberDay, readMemberDays } from './home.queries.ts'
import { isoDay, points, type Shown, sparkline } from './parts.ts'

const PAGE_SIZE = 24
const LINE_DAYS = 30
const WEEK = 7

/** A published space with its members and their number a week ago. */
interface Community extends ListedSpace {
  members: number
  weekAgo: number | undefined
  line: number[]
}

export interface Communities {
  list: Community[]
  /** The id after which the next page begins. */
  next: number | undefined
}

/** A page of the published spaces; those with most members first. */
export async function readCommunities(kysely: Kysely<DB>, after: number, now: number): Promise<Communities> {
  const found = await listPublishedSpaces(kysely, after, PAGE_SIZE + 1)
  const spaces = found.slice(0, PAGE_SIZE)
  const since = isoDay(now - LINE_DAYS * DAY)
  const list = await Promise.all(
    spaces.map(async (space) => {
      const [members, days] = await Promise.all([
        countMembers(kysely, space.spaceId),
        readMemberDays(kysely, space.spaceId, since),
      ])
      return { ...space, members, weekAgo: weekAgo(days, now), line: [...days.map((day) => day.members), members] }
    }),
  )
  return {
    list: list.toSorted((a, b) => b.members - a.members || a.spaceId - b.spaceId),
    next: found.length > PAGE_SIZE ? spaces.at(-1)?.spaceId : undefined,
  }
}

/** The first recorded number of the last seven days, if the record is that long. */
function weekAgo(days: readonly MemberDay[], now: number): number | undefined {
  const from = isoDay(now - WEEK * DAY)
  return days.some(({ day }) => day <= from) ? days.find(({ day }) => day >= from)?.members : undefined
}

interface HomeView {
  brand: Brand
  communities: Communities
  /** Whether this is the first page of the communities. */
  first: boolean
  issuer: string
}

/** The home page of the installation. */
export function homePage({ brand, communities: { list, next }, first, issuer }: HomeView): Shown {
  return {
    title: first ? undefined : 'Communities',
    description: brand.description,
    body: html`<main id="main" class="home-page">
      ${first ? hero(brand) : undefined}
      <section aria-labelledby="communities">
        <h2 id="communities">Communities</h2>
        ${
          list.length === 0
            ? html`<div class="nothing">
                <p><strong>No community has a public page yet.</strong></p>
                <p class="quiet">
                  Owners publish the page of a space in <a href="/explore">Explore</a>.
                  <a href="/docs/pages#public-pages">How to publish a page</a>
                </p>
              </div>`
            : html`<ul class="communities">
                ${list.map(card)}
              </ul>`
        }
        ${next === undefined ? undefined : html`<p><a rel="next" href="/?after=${next}">More communities</a></p>`}
      </section>
      ${first ? developers(issuer) : undefined}
    </main>`,
  }
}

const hero = (brand: Brand): Html =>
  html`<div class="hero">
    <img src="${logoPath(brand)}" alt="" width="72" height="72" />
    <h1>${brand.name}</h1>
    <p>${brand.description}</p>
    <p class="actions">
      <a class="button for-guests" href="/sign-in?return=/my">Sign in</a>
      <a class="button for-members" href="/my">My quests</a>
      <a class="button quiet-button" href="/explore">Explore</a>
    </p>
  </div>`

function card({ slug, name, description, members, weekAgo, line }: Community): Html {
  return html`<li>
    <h3><a href="/s/${slug}">${name}</a></h3>
    ${description === '' ? undefined : html`<p class="about">${description}</p>`}
    <p class="figures">
      <span><strong>${points(members)}</strong> ${members === 1 ? 'member' : 'members'}</span>
      ${weekAgo === undefined ? undefined : movement(members - weekAgo)}
      ${sparkline(line, `${points(line[0] ?? 0)} to ${points(members)} members in ${line.length - 1} days`)}
    </p>
  </li>`
}

function movement(change: number): Html {
  if (change === 0) return html`<span class="quiet">no change this week</span>`
  const amount = points(Math.abs(change))
  return change > 0
    ? html`<span class="up"
        ><span aria-hidden="true">▲</span> ${amount}<span class="hidden"> new</span> this week</span
      >`
    : html`<span class="down"
        ><span aria-hidden="true">▼</span> ${amount}<span class="hidden"> fewer</span> this week</span
      >`
}

const developers = (issuer: string): Html =>
  html`<section aria-labelledby="developers" class="developers">
    <div>
      <h2 id="developers">Build on it</h2>
      <p>Read leaderboards, quests and credentials with one GraphQL endpoint, and sign users in with OAuth 2.0.</p>
      <p class="links">
        <a href="/playground">Open the playground</a><a href="/docs/quick-start">Quick start</a
        ><a href="/docs">Manual</a><a href="/api/openapi.json">JSON API</a>
      </p>
    </div>
    <pre tabindex="0"><code>curl ${issuer}/query \\
  -H 'access-token: …' \\
  -H 'content-type: application/json' \\
  -d '{"query":"{ quests(input: {}) { totalCount } }"}'</code></pre>
  </section>`
