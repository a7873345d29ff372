import '../shell/option-list.css'
import './search.css'
import { Modal, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { Account } from '../api/session.ts'
import { foundPeopleQuery } from '../api/people.ts'
import { canSearch, manualQuery, searchAllQuery } from '../api/search.ts'
import { Icon } from '../shell/icon.tsx'
import { search as texts } from '../texts/index.ts'
import {
  findPages,
  findSections,
  groupPeople,
  groupResults,
  MAX_PEOPLE,
  type Result,
  type ResultGroup,
} from './results.ts'

/** While a user types, the service is asked after this pause. */
const PAUSE_MS = 150

interface PaletteProps {
  account: Account
  opened: boolean
  close: () => void
  /** What was typed while this code loaded. */
  takeEarlyKeys: () => string
}

/** The search over everything that the account may open: a text field with a list of results (ARIA combobox). */
export default function Palette({ account, opened, close, takeEarlyKeys }: PaletteProps) {
  return (
    <Modal.Root
      opened={opened}
      onClose={close}
      size="40rem"
      yOffset="10dvh"
      classNames={{ content: 'palette' }}
      // Locking the scroll writes a style that the Content-Security-Policy forbids.
      lockScroll={false}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label={texts.title}>
        <Search account={account} close={close} takeEarlyKeys={takeEarlyKeys} />
      </Modal.Content>
    </Modal.Root>
  )
}

function Search({ account, close, takeEarlyKeys }: Omit<PaletteProps, 'opened'>) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const field = useRef<HTMLInputElement>(null)
  // The dialog moves the focus a moment later, and would lose what is typed until then. It first notes where to return it.
  useEffect(
    () =>
      queueMicrotask(() => {
        field.current?.focus()
        const early = takeEarlyKeys()
        setText((typed) => early + typed)
      }),
    [takeEarlyKeys],
  )
  const [, go] = useLocation()
  const id = useId()
  const { groups, pending } = useResults(account, text.trim())
  const all = groups.flatMap(({ results }) => results)
  const chosen = Math.min(at, Math.max(0, all.length - 1))

  const open = (result: Result) => {
    close()
    if (result.elsewhere) window.location.assign(result.href)
    else go(result.href)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined && all.length > 0) setAt((chosen + step + all.length) % all.length)
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing && all[chosen]) open(all[chosen])
    else return
    event.preventDefault()
  }

  return (
    <>
      <div className="palette-field">
        <Icon name="search" size={20} />
        <input
          ref={field}
          role="combobox"
          aria-label={texts.title}
          aria-expanded
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={all.length > 0 ? `${id}-${chosen}` : undefined}
          placeholder={texts.placeholder}
          value={text}
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          onChange={(event) => {
            setText(event.currentTarget.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
        />
        <UnstyledButton className="palette-close" onClick={close}>
          {texts.close}
        </UnstyledButton>
      </div>
      <Results id={id} groups={groups} chosen={chosen} point={setAt} open={open} />
      <p className="palette-status" role="status">
        {pending ? texts.searching : text.trim() === '' ? texts.hint : texts.found(all.length)}
      </p>
    </>
  )
}

function useResults(account: Account, text: string): { groups: ResultGroup[]; pending: boolean } {
  const [asked] = useDebouncedValue(text, PAUSE_MS)
  const found = useQuery({ ...searchAllQuery(asked), placeholderData: (before) => before })
  const people = useQuery({
    ...foundPeopleQuery(asked, MAX_PEOPLE),
    enabled: account.operator && canSearch(asked),
    placeholderData: (before) => before,
  })
  const manual = useQuery(manualQuery).data ?? []
  const groups: ResultGroup[] = [
    { title: texts.pages, results: findPages(account, text) },
    ...(found.data && canSearch(text) ? groupResults(found.data) : []),
    ...(people.data && canSearch(text) ? [groupPeople(people.data.items)] : []),
    { title: texts.manual, results: findSections(manual, text) },
  ]
  return {
    groups: groups.filter(({ results }) => results.length > 0),
    pending: canSearch(text) && (found.isFetching || people.isFetching || asked !== text),
  }
}

interface ResultsProps {
  id: string
  groups: ResultGroup[]
  chosen: number
  point: (at: number) => void
  open: (result: Result) => void
}

function Results({ id, groups, chosen, point, open }: ResultsProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen, groups])
  let place = 0
  return (
    <div ref={list} className="palette-results" role="listbox" id={`${id}-list`} aria-label={texts.results}>
      {groups.map(({ title, results }) => (
        <div key={title} role="group" aria-label={title}>
          <p className="palette-group" aria-hidden>
            {title}
          </p>
          {results.map((result) => {
            const at = place++
            return (
              <a
                key={`${result.href} ${result.title}`}
                id={`${id}-${at}`}
                role="option"
                aria-selected={at === chosen}
                tabIndex={-1}
                href={result.href}
                className="option palette-option"
                onMouseMove={() => point(at)}
                onClick={(event) => {
                  if (event.metaKey || event.ctrlKey || event.shiftKey) return
                  event.preventDefault()
                  open(result)
                }}
              >
                <Icon name={result.icon} />
                <span className="option-name">{result.title}</span>
                {result.detail !== undefined && <span className="option-detail">{result.detail}</span>}
              </a>
            )
          })}
        </div>
      ))}
    </div>
  )
}
