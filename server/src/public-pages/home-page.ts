import type { Kysely } from 'kysely'
import { DAY } from '../clock.ts'
import type { DB } from '../database/tables.ts'
import { type Brand, logoPath } from '../settings/brand.ts'
import { descriptionIn } from '../http/static-page.ts'
import { html, type Html } from '../text/html.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import { type ListedSpace, listPublishedSpaces, type MemberDay, readMemberDays } from './home.queries.ts'
import { isoDay, type Shown, sparkline } from './parts.ts'
import { spaceLogo } from './space-logo.ts'
import { countMembers } from './space-pages.queries.ts'

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
  const counts = await countMembers(
    kysely,
    spaces.map(({ spaceId }) => spaceId),
  )
  const list = await Promise.all(
    spaces.map(async (space) => {
      const members = counts.get(space.spaceId) ?? 0
      const days = await readMemberDays(kysely, space.spaceId, since)
      return { ...space, members, weekAgo: weekAgo(days, now), line: [...days.map((day) => day.members), members] }
    }),
  )
  return {
    list: list.toSorted((a, b) => b.members - a.members || a.spaceId - b.spaceId),
    next: found.length > PAGE_SIZE ? spaces.at(-1)?.spaceId : undefined,
  }
}

/** The number of members seven days ago; undefined if the record is shorter. */
function weekAgo(days: readonly MemberDay[], now: number): number | undefined {
  const from = isoDay(now - WEEK * DAY)
  return days.some(({ day }) => day <= from) ? days.find(({ day }) => day >= from)?.members : undefined
}

interface HomeView {
  texts: PageTexts
  brand: Brand
  communities: Communities
  /** Whether this is the first page of the communities. */
  first: boolean
  issuer: string
}

export function homePage({ texts: t, brand, communities: { list, next }, first, issuer }: HomeView): Shown {
  return {
    title: first ? undefined : t.home.communities,
    description: descriptionIn(t, brand),
    body: html`<main id="main" class="home-page">
      ${first ? hero(t, brand) : undefined}
      <section aria-labelledby="communities">
        <h2 id="communities">${t.home.communities}</h2>
        ${
          list.length === 0
            ? html`<div class="nothing">
                <p><strong>${t.home.none}</strong></p>
                <p class="quiet">
                  ${t.home.noneBefore}<a href="/explore">${t.frame.explore}</a>.
                  <a href="/docs/pages#public-pages">${t.home.noneHelp}</a>
                </p>
              </div>`
            : html`<ul class="communities">
                ${list.map((one) => card(t, one))}
              </ul>`
        }
        ${next === undefined ? undefined : html`<p><a rel="next" href="/?after=${next}">${t.home.more}</a></p>`}
      </section>
      ${first ? developers(t, issuer) : undefined}
    </main>`,
  }
}

const hero = (t: PageTexts, brand: Brand): Html =>
  html`<div class="hero">
    <img src="${logoPath(brand)}" alt="" width="72" height="72" />
    <h1>${brand.name}</h1>
    <p>${descriptionIn(t, brand)}</p>
    <p class="actions">
      <a class="button for-guests" href="/sign-in?return=/my">${t.frame.signIn}</a>
      <a class="button for-members" href="/my">${t.home.myQuests}</a>
      <a class="button quiet-button for-guests" href="#communities">${t.home.communities}</a>
      <a class="button quiet-button for-members" href="/explore">${t.frame.explore}</a>
    </p>
  </div>`

function card(t: PageTexts, { slug, name, logoVersion, description, members, weekAgo, line }: Community): Html {
  return html`<li>
    <h3>${spaceLogo({ slug, logoVersion }, 32)}<a href="/s/${slug}">${name}</a></h3>
    ${description === '' ? undefined : html`<p class="about">${description}</p>`}
    <p class="figures">
      <span><strong>${t.number(members)}</strong> ${t.home.membersWord(members)}</span>
      ${weekAgo === undefined ? undefined : movement(t, members - weekAgo)}
      ${sparkline(line, t.home.line(line[0] ?? 0, members, line.length - 1))}
    </p>
  </li>`
}

function movement({ home, number }: PageTexts, change: number): Html {
  if (change === 0) return html`<span class="quiet">${home.noChange}</span>`
  const amount = number(Math.abs(change))
  return change > 0
    ? html`<span class="up"
        ><span aria-hidden="true">▲</span> ${amount}<span class="hidden">${home.more7.hidden}</span
        >${home.more7.shown}</span
      >`
    : html`<span class="down"
        ><span aria-hidden="true">▼</span> ${amount}<span class="hidden">${home.fewer7.hidden}</span
        >${home.fewer7.shown}</span
      >`
}

const developers = ({ home, frame }: PageTexts, issuer: string): Html =>
  html`<section aria-labelledby="developers" class="developers">
    <div>
      <h2 id="developers">${home.build}</h2>
      <p>${home.buildLead}</p>
      <p class="links">
        <a href="/playground">${home.openPlayground}</a><a href="/docs/quick-start">${home.quickStart}</a
        ><a href="/docs">${frame.manual}</a><a href="/api/openapi.json">${home.jsonApi}</a>
      </p>
    </div>
    <pre tabindex="0"><code>curl ${issuer}/query \\
  -H 'access-token: …' \\
  -H 'content-type: application/json' \\
  -d '{"query":"{ quests(input: {}) { totalCount } }"}'</code></pre>
  </section>`
