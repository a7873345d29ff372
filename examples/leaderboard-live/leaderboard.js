import { createQuestboard } from '@questboard/client'

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
  connectedCallback() {
    if (!this.shadowRoot) this.attachShadow({ mode: 'open' })
    this.leaving = new AbortController()
    void this.follow(this.leaving.signal)
  }

  disconnectedCallback() {
    this.leaving?.abort()
  }

  /** The client connects again by itself. It throws if the service refuses the page. @param {AbortSignal} signal */
  async follow(signal) {
    const questboard = createQuestboard({
      baseUrl: this.getAttribute('service') ?? '',
      accessToken: this.getAttribute('token') ?? '',
      retry: { retries: 1 },
    })
    const board = questboard.space(this.getAttribute('space') ?? '').live({ first: PLACES, signal })
    try {
      for await (const { list, totalCount } of board) this.show(table(list, totalCount ?? 0))
    } catch {
      if (signal.aborted) return
      if (!this.shadowRoot?.querySelector('table'))
        this.show(element('p', 'The leaderboard is not available right now.'))
      setTimeout(() => void (signal.aborted || this.follow(signal)), RETRY_MS)
    }
  }

  /** @param {HTMLElement} content */
  show(content) {
    this.shadowRoot?.replaceChildren(element('style', STYLE), content)
  }
}

/** @param {readonly import('@questboard/client').LivePlace[]} list @param {number} totalCount */
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
