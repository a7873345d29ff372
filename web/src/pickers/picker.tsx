import '../shell/option-list.css'
import './picker.css'
import { Pill, PillsInput, VisuallyHidden } from '@mantine/core'
import {
  type ClipboardEvent,
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { picker as texts } from '../texts/index.ts'
import type { Choice, Source } from './source.ts'
import { mayBeId, rememberName, useChoices, useNames } from './use-choices.ts'

interface PickerProps {
  source: Source
  label: string
  description?: string | undefined
  error?: string | undefined
  required?: boolean
  className?: string | undefined
  value: readonly string[]
  onChange: (ids: string[]) => void
  /** Another choice replaces the first. */
  single?: boolean
  /** Shown if the search finds nothing. */
  nothing?: string
  /** Shown if there is nothing to search. */
  empty?: ReactNode
  /** At the end of the list. */
  footer?: ReactNode
}

/** Picks objects by name from a list (ARIA combobox). IDs can be pasted, also several with commas between. */
export function Picker({
  source,
  value,
  onChange,
  single = false,
  nothing = texts.nothing,
  empty = texts.hint,
  footer,
  error,
  className,
  ...field
}: PickerProps) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [open, setOpen] = useState(false)
  const [unknown, setUnknown] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const sought = text.trim()
  const isSearched = open || sought !== ''
  const { found, offered, isPending, error: failure, readAgain } = useChoices(source, sought, value, isSearched)
  const picked = useNames(source, value)
  const isListed = open && offered.length > 0
  const chosen = Math.min(at, Math.max(0, offered.length - 1))

  const take = (ids: readonly string[]) => {
    onChange(single ? ids.slice(-1) : [...new Set([...value, ...ids])])
    setText('')
    setAt(0)
    setUnknown(false)
    setOpen(!single)
  }
  const pick = (choice: Choice) => {
    if (found.includes(choice)) rememberName(source, choice)
    take([choice.id])
    input.current?.focus()
  }
  const idsIn = (given: string) => {
    const parts = given.split(/[\s,;]+/).filter((part) => part !== '')
    return parts.length > 0 && parts.every((part) => source.idPattern.test(part)) ? parts : []
  }
  /** Accepts the typed text when the user leaves the field: a name, or IDs. */
  const takeText = () => {
    setOpen(false)
    if (sought === '') return
    const exact = found.find(({ id, name }) => id === sought || name.toLowerCase() === sought.toLowerCase())
    const ids = idsIn(sought)
    if (exact) rememberName(source, exact)
    if (exact) take([exact.id])
    else if (ids.length > 1 || mayBeId(source, sought, found)) take(ids)
    else return setUnknown(true)
    setOpen(false)
  }
  const remove = (removed: string) => {
    onChange(value.filter((one) => one !== removed))
    input.current?.focus()
  }
  const leave = ({ relatedTarget }: FocusEvent<HTMLElement>) => {
    // The link at the end of the list can take the focus.
    if (relatedTarget !== input.current && !relatedTarget?.closest('.picker-list')) takeText()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const choice = offered[chosen]
    if (event.nativeEvent.isComposing) return
    if (step !== undefined && !open) setOpen(true)
    else if (step !== undefined && offered.length > 0) setAt((chosen + step + offered.length) % offered.length)
    else if (event.key === 'Escape' && open) setOpen(false)
    else if (event.key === 'Enter' && sought !== '' && !isListed) takeText()
    else if (event.key === 'Enter' && isListed && choice) pick(choice)
    else if (event.key === 'Backspace' && text === '' && value.length > 0) return onChange(value.slice(0, -1))
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  /** The link at the end of the list has the focus. */
  const onListKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    input.current?.focus()
    setOpen(false)
  }
  const onPaste = (event: ClipboardEvent) => {
    const ids = idsIn(event.clipboardData.getData('text'))
    if (ids.length < 2 || single) return
    event.preventDefault()
    take(ids)
  }

  return (
    <div className={className === undefined ? 'picker' : `picker ${className}`}>
      <PillsInput
        {...field}
        error={error ?? (unknown && texts.unknown)}
        onClick={() => {
          input.current?.focus()
          // The list may have changed in another tab.
          if (isSearched) readAgain()
          setOpen(true)
        }}
      >
        <Pill.Group>
          {picked.map((choice) => (
            <Pill
              key={choice.id}
              withRemoveButton
              onRemove={() => remove(choice.id)}
              removeButtonProps={{ 'aria-label': texts.remove(choice.name), tabIndex: 0, 'aria-hidden': false }}
            >
              {choice.name}
            </Pill>
          ))}
          <PillsInput.Field
            ref={input}
            className={single && value.length > 0 ? 'picker-full' : ''}
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={isListed}
            aria-controls={isListed ? `${id}-list` : undefined}
            aria-activedescendant={isListed ? `${id}-${chosen}` : undefined}
            aria-required={field.required}
            placeholder={value.length === 0 ? texts.placeholder : ''}
            value={text}
            maxLength={100}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => {
              setText(event.currentTarget.value)
              setAt(0)
              setUnknown(false)
              setOpen(true)
            }}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            onBlur={leave}
          />
        </Pill.Group>
      </PillsInput>
      {open && (
        // The field keeps the focus.
        <div
          className="picker-list"
          onMouseDown={(event) => event.preventDefault()}
          onKeyDown={onListKeyDown}
          onBlur={leave}
        >
          {isListed && (
            <Choices id={id} label={field.label} choices={offered} chosen={chosen} point={setAt} pick={pick} />
          )}
          {offered.length === 0 && (
            <p className="picker-hint">
              {failure ? failure.message : isPending ? texts.searching : sought === '' ? empty : nothing}
            </p>
          )}
          {footer !== undefined && <p className="picker-hint picker-footer">{footer}</p>}
        </div>
      )}
      <VisuallyHidden role="status">{open && !isPending ? texts.found(offered.length) : ''}</VisuallyHidden>
    </div>
  )
}

interface ChoicesProps {
  id: string
  label: string
  choices: readonly Choice[]
  chosen: number
  point: (at: number) => void
  pick: (choice: Choice) => void
}

function Choices({ id, label, choices, chosen, point, pick }: ChoicesProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [chosen, choices])
  return (
    <div
      ref={list}
      role="listbox"
      id={`${id}-list`}
      aria-label={texts.results(label)}
      className="picker-options"
      // Browsers make an element that scrolls a stop of Tab.
      tabIndex={-1}
    >
      {choices.map((choice, place) => (
        <div
          key={choice.id}
          id={`${id}-${place}`}
          role="option"
          aria-selected={place === chosen}
          className="option picker-option"
          onMouseMove={() => point(place)}
          onClick={() => pick(choice)}
        >
          <span className="option-name">{choice.name}</span>
          <span className="option-detail">{choice.detail ?? choice.id}</span>
        </div>
      ))}
    </div>
  )
}
