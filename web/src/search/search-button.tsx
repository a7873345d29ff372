import { Kbd, UnstyledButton } from '@mantine/core'
import { lazy, Suspense, useEffect, useState } from 'react'
import type { Account } from '../api/session.ts'
import { Icon } from '../shell/icon.tsx'
import { search as texts } from '../texts/index.ts'
import { earlyKeys } from './early-keys.ts'
import { onOpenSearch } from './open-search.ts'

const load = () => import('./palette.tsx')
const Palette = lazy(load)
/** After this, the page has loaded, and what a user types first must not be lost. */
const PRELOAD_MS = 1_000

const isApple = /mac|iphone|ipad/i.test(navigator.platform)

/** Opens the search, and so does ⌘K or Ctrl+K on every page. */
export function SearchButton({ account }: { account: Account }) {
  const [opened, setOpened] = useState(false)
  const [used, setUsed] = useState(false)
  const [early] = useState(earlyKeys)
  const open = () => {
    setUsed(true)
    setOpened(true)
    early.collect()
  }
  const giveUp = () => {
    if (early.giveUp()) setOpened(false)
  }
  useEffect(() => {
    const timer = setTimeout(() => void load(), PRELOAD_MS)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (early.keeps(event)) return event.preventDefault()
      if (event.key === 'Escape') giveUp()
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      open()
    }
    window.addEventListener('keydown', onKeyDown)
    window.addEventListener('pointerdown', giveUp)
    const stop = onOpenSearch(open)
    return () => {
      stop()
      window.removeEventListener('keydown', onKeyDown)
      window.removeEventListener('pointerdown', giveUp)
    }
  }, [])
  return (
    <>
      <UnstyledButton
        className="search-button"
        aria-keyshortcuts="Meta+K Control+K"
        aria-haspopup="dialog"
        onClick={open}
      >
        <Icon name="search" />
        <span className="search-button-label">{texts.title}</span>
        <span className="search-button-keys" aria-hidden>
          <Kbd size="xs">{isApple ? '⌘' : 'Ctrl'}</Kbd> <Kbd size="xs">K</Kbd>
        </span>
      </UnstyledButton>
      {used && (
        <Suspense>
          <Palette account={account} opened={opened} close={() => setOpened(false)} takeEarlyKeys={early.take} />
        </Suspense>
      )}
    </>
  )
}
