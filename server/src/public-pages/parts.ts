import { markOf } from '../addresses/account-address.ts'
import { mayBePublic } from '../addresses/addresses.ts'
import { openName } from '../addresses/open-name.ts'
import type { CacheValidator } from '../graphql/cache-validators.ts'
import { html, type Html } from '../text/html.ts'
import { splitLinks } from '../text/links.ts'
import type { PageTexts } from '../texts/page-texts.ts'
import { photo } from './member-picture.ts'
import type { ShareCard } from './share-card.ts'

export type { ServiceQuery, ValidatedQuery } from '../http/service-query.ts'

/** A text that people wrote about an object, with its lines and links. */
export function about(text: string): Html | undefined {
  if (text === '') return undefined
  const parts = splitLinks(text).map((part) =>
    part.isLink ? html`<a href="${part.text}" rel="nofollow ugc">${part.text}</a>` : html`${part.text}`,
  )
  return html`<p class="lead">${parts}</p>`
}

/** The days of a period, in seconds since 1970; undefined if it has neither start nor end. */
export function period(
  { periodFrom, periodUntil, date }: PageTexts,
  startTime: number | null,
  endTime: number | null,
): Html | undefined {
  const [start, end] = [startTime, endTime].map((time) => (time === null ? '' : date(time)))
  const shown = start && end ? `${start} – ${end}` : start ? periodFrom(start) : end ? periodUntil(end) : ''
  return shown === '' ? undefined : html`<p class="quiet">${shown}</p>`
}

/** A page: its title and description, and the HTML of its `<main>`. */
export interface Shown {
  /** Undefined for the name of the installation alone. */
  title: string | undefined
  description: string
  body: Html
  /** For link previews; undefined on later parts of a page. */
  card?: ShareCard | undefined
  /** The page is valid while these validators hold; undefined if the page must not be reused. */
  validators?: readonly CacheValidator[] | undefined
}

/** @param time milliseconds since 1970 */
export const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

export const list = (name: string, items: Html[]): Html =>
  html`<ul class="${name}">
    ${items.map((item) => html`<li>${item}</li>`)}
  </ul>`

interface Member {
  username: string
  address: string
  /** The path of an uploaded picture. */
  picture?: string | undefined
}

/**
 * The name of a member that a page shows, the address or what stands in for it, and the text from which the picture is
 * drawn. Pages of the account draw it from the name, too.
 */
export function faceOf({ username, address }: Member): { name: string; place: string; seed: string } {
  const isPublic = mayBePublic(address)
  const name = isPublic ? username || address : openName({ username, address }) || `${address.slice(0, 2)}…`
  return { name, place: isPublic ? address : name, seed: name }
}

const MAX_WHOLE = 16

/** The first and last characters of a long address. */
export const shortAddress = (text: string): string =>
  text.length > MAX_WHOLE ? `${text.slice(0, 6)}…${text.slice(-4)}` : text

/**
 * The picture and the name of a member, or a part of the name if the address cannot be public.
 * @param slug of the space, to lead to the page of the member
 */
export function member({ username, address, picture: uploaded }: Member, size: number, slug?: string): Html {
  const isPublic = mayBePublic(address)
  const { name, seed } = faceOf({ username, address })
  const mark = markOf(address)
  const title = isPublic ? html` title="${address}"` : mark && html` data-mark="${mark}"`
  const shown = html`${uploaded === undefined ? picture(seed, size) : photo(uploaded, size)}<span class="name" ${title}
      >${name}</span
    >`
  return slug !== undefined && isPublic
    ? html`<a class="member" href="/m/${slug}/${address}">${shown}</a>`
    : html`<span class="member">${shown}</span>`
}

/** The change from an earlier rank; undefined if there is none. */
export function moved(t: PageTexts, rank: number, before: number | undefined): Html | undefined {
  if (before === undefined || before === rank) return undefined
  const places = Math.abs(before - rank)
  const up = before > rank
  const words = up ? t.up(places) : t.down(places)
  return html`<span class="${up ? 'up' : 'down'}" title="${words}"
    ><span aria-hidden="true">${up ? '▲' : '▼'}${places}</span><span class="hidden">${words}</span></span
  >`
}

/** Ranks as a line; a better rank is higher. */
export const rankLine = (t: PageTexts, ranks: number[]): Html | undefined =>
  sparkline(
    ranks.map((rank) => -rank),
    t.rankLine(ranks[0] ?? 0, ranks.at(-1) ?? 0, Math.min(...ranks)),
  )

/** Values as a line; a larger value is higher. Undefined if there are fewer than two. */
export function sparkline(values: number[], says: string): Html | undefined {
  if (values.length < 2) return undefined
  const [min, max] = [Math.min(...values), Math.max(...values)]
  const y = (value: number) => (max === min ? 10 : 18 - ((value - min) / (max - min)) * 16)
  const path = values
    .map((value, n) => `${((n / (values.length - 1)) * 80).toFixed(1)},${y(value).toFixed(1)}`)
    .join(' ')
  return html`<svg viewBox="0 0 80 20" width="80" height="20" role="img" aria-label="${says}">
    <polyline points="${path}" fill="none" stroke="currentColor" stroke-width="1.5" />
  </svg>`
}

const SIDE = 5

/** A picture drawn from an address: five by five squares, mirrored. The web app draws the same. */
export function picture(seed: string, size: number): Html {
  const squares = Array.from({ length: SIDE * 3 }, (_, n) => n).flatMap((n) => {
    if ((hashOf(`${n} ${seed}`) & 1) === 0) return []
    const [x, y] = [n % 3, Math.floor(n / 3)]
    return x === SIDE - 1 - x ? [`M${x} ${y}h1v1h-1z`] : [`M${x} ${y}h1v1h-1z`, `M${SIDE - 1 - x} ${y}h1v1h-1z`]
  })
  const colour = `hsl(${hashOf(seed) % 360} 55% 50%)`
  return html`<svg class="avatar" viewBox="-1 -1 7 7" width="${size}" height="${size}" aria-hidden="true">
    <path d="${squares.join('')}" fill="${colour}" />
  </svg>`
}

/** FNV-1a, 32 bits, with a final mix. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}
