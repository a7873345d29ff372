import { Notification } from '@mantine/core'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { shell as texts } from '../texts/index.ts'

interface Toast {
  id: number
  text: string
}

const SHOWN_MS = 6_000
const MAX_SHOWN = 3

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

function change(now: readonly Toast[]): void {
  toasts = now
  for (const listener of listeners) listener()
}

/** Confirms the result of an action at the edge of the window. Show errors next to the action, in a Fault. */
export function toast(text: string): void {
  change([...toasts, { id: ++lastId, text }].slice(-MAX_SHOWN))
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The confirmations. The region is always there, so that a screen reader reads each addition. */
export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  const [held, setHeld] = useState(false)
  return (
    <div
      className="toasts"
      role="status"
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      {shown.map(({ id, text }) => (
        <OneToast key={id} id={id} text={text} held={held} />
      ))}
    </div>
  )
}

const dismiss = (id: number) => change(toasts.filter((one) => one.id !== id))

function OneToast({ id, text, held }: Toast & { held: boolean }) {
  useEffect(() => {
    if (held) return
    const timer = setTimeout(() => dismiss(id), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [id, held])
  return (
    <Notification
      withBorder
      color="teal"
      onClose={() => dismiss(id)}
      closeButtonProps={{ 'aria-label': texts.close }}
      role="presentation"
    >
      {text}
    </Notification>
  )
}
