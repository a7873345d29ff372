import type { AroundNavHandler } from 'wouter'
import { navigate, useLocationProperty } from 'wouter/use-browser-location'
import { mayLeave } from './unsaved.ts'

/**
 * The address that the page shows. Back and Forward have already changed the address of the browser when they are
 * reported, and no API of all browsers can refuse them. If the user stays, the page returns to its own entry of the
 * history, so the order of the entries remains. For this, each entry has its place in its state.
 */
let shown = { ...currentAddress(), place: placeOf(history.state) ?? 0 }
if (placeOf(history.state) === undefined) storePlace()

function currentAddress() {
  const { href, pathname: path, search } = location
  return { href, path, search }
}

function placeOf(state: unknown): number | undefined {
  const { place } = (state ?? {}) as { place?: unknown }
  return typeof place === 'number' ? place : undefined
}

/** Keeps the state of links. Wouter does not report this change, because the address stays the same. */
function storePlace(): void {
  History.prototype.replaceState.call(history, { ...(history.state as object | null), place: shown.place }, '')
}

function show({ type }: Event): void {
  const known = placeOf(history.state)
  // A replaced entry keeps its place, also one that a link to its own fragment replaces. Others are new.
  const isReplaced = type === 'replaceState' || location.href === shown.href
  shown = { ...currentAddress(), place: known ?? (isReplaced ? shown.place : shown.place + 1) }
  if (known === undefined) storePlace()
}

// The last two are events of wouter. They are captured, so that its listeners read the new address.
for (const type of ['hashchange', 'pushState', 'replaceState']) window.addEventListener(type, show, { capture: true })

window.addEventListener(
  'popstate',
  (event) => {
    if (location.pathname === shown.path || mayLeave()) return show(event)
    event.stopImmediatePropagation()
    const place = placeOf(history.state)
    // The browser reports the return, too. Without a place the order is lost, but the address is true again.
    if (place !== undefined) history.go(shown.place - place)
    else history.pushState({ place: shown.place }, '', shown.href)
  },
  { capture: true },
)

/** The hooks of the router. Until the browser has returned, they must not read the address that was refused. */
export const useShownPath = (): [string, typeof navigate] => [useLocationProperty(() => shown.path), navigate]
export const useShownSearch = (): string => useLocationProperty(() => shown.search)

/** Asks before a link leaves the page. Other parameters of the page keep its forms. */
export const askFirst: AroundNavHandler = (go, to, options) => {
  // Only the app itself replaces addresses.
  if (options?.replace || new URL(to, location.href).pathname === shown.path || mayLeave()) go(to, options)
}
