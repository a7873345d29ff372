const PLACES = 10
const RETRY_MS = 15_000

const STYLE = `
  table { border-collapse: collapse; font: inherit; min-width: 18rem; }
  caption { text-align: start; padding: 0.25rem 0; }
  th, td { padding: 0.25rem 0.75rem; text-align: start; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); }
  .number { text-align: end; font-variant-numeric: tabular-nums; }
`

/** <live-leaderboard service="…" token="…" space="…">: the first members of a space, as they change. */
class LiveLeaderboard extends HTMLElement {
  /** @type {Place[]} */
  list = []

  connectedCallback() {
    if (!this.shadowRoot) this.attachShadow({ mode: 'open' })
    this.follow()
  }

  disconnectedCallback() {
    clearTimeout(this.timer)
    this.stream?.close()
  }

  follow() {
    // EventSource sends no headers, so the publishable token is in the URL.
    const parameters = new URLSearchParams({ first: String(PLACES), access_token: this.getAttribute('token') ?? '' })
    const stream = new EventSource(
      `${this.getAttribute('service')}/live/spaces/${this.getAttribute('space')}?${parameters}`,
    )
    this.stream = stream
    stream.addEventListener('board', ({ data }) => this.replace(/** @type {Whole} */ (JSON.parse(String(data)))))
    stream.addEventListener('changes', ({ data }) => this.apply(/** @type {Changes} */ (JSON.parse(String(data)))))
    stream.addEventListener('error', () => {
      // After a lost connection the browser connects again by itself; after an error response it does not.
      if (stream.readyState !== EventSource.CLOSED) return
      if (this.list.length === 0) this.show(element('p', 'The leaderboard is not available right now.'))
      this.timer = setTimeout(() => this.follow(), RETRY_MS)
    })
  }

  /** @param {Whole} event */
  replace({ totalCount, list }) {
    this.list = list
    this.show(table(list, totalCount))
  }

  /** @param {Changes} event */
  apply({ totalCount, size, changed }) {
    for (const place of changed) this.list[place.position - 1] = place
    this.list.length = size
    this.show(table(this.list, totalCount))
  }

  /** @param {HTMLElement} content */
  show(content) {
    this.shadowRoot?.replaceChildren(element('style', STYLE), content)
  }
}

/** @typedef {{ position: number, rank: number, points: number, address?: { username: string } }} Place */

/** @typedef {{ totalCount: number, list: Place[] }} Whole */
/** @typedef {{ totalCount: number, size: number, changed: Place[] }} Changes */

/** @param {Place[]} list @param {number} totalCount */
function table(list, totalCount) {
  const whole = element('table')
  whole.append(element('caption', `The first ${list.length} of ${totalCount.toLocaleString()}`))
  whole.append(row('th', ['Place', 'Member', 'Points']))
  for (const { rank, points, address } of list)
    whole.append(row('td', [String(rank), address?.username ?? '', points.toLocaleString()]))
  return whole
}

/** @param {'th' | 'td'} tag @param {string[]} texts */
function row(tag, texts) {
  const whole = element('tr')
  whole.append(
    ...texts.map((text, column) => {
      const cell = element(tag, text)
      if (tag === 'th') cell.setAttribute('scope', 'col')
      if (column !== 1) cell.className = 'number'
      return cell
    }),
  )
  return whole
}

/** Names are people's own text: they are set as text, never as HTML. @param {string} tag @param {string} text */
function element(tag, text = '') {
  const made = document.createElement(tag)
  made.textContent = text
  return made
}

customElements.define('live-leaderboard', LiveLeaderboard)
