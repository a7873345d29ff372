import { Button, TextInput } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { Empty } from '../shell/empty.tsx'
import { useDraft, usePageParameter } from '../shell/page-parameter.ts'
import { explore as texts } from '../texts/index.ts'

interface SearchForm {
  /** The submitted text; empty if the list is not searched. */
  search: string
  form: ReactNode
  /** Replaces the list if the search finds nothing. */
  nothingFound: ReactNode
}

/**
 * The search above a list, which the address of the page keeps. An emptied field ends the search at once.
 * @param label the kind of the listed objects
 * @param fieldLabel what the service searches
 */
export function useSearchForm(label: string, fieldLabel: string = texts.search): SearchForm {
  const [given, setSearch] = usePageParameter('q')
  const search = given.trim()
  const [text, setText] = useDraft(search)
  const change = (value: string) => {
    setText(value)
    if (value === '') setSearch('')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSearch(text.trim())
  }
  return {
    search,
    form: (
      <form onSubmit={submit} className="line-form" role="search" aria-label={label}>
        <TextInput
          type="search"
          className="wide-field"
          label={fieldLabel}
          value={text}
          onChange={(event) => change(event.currentTarget.value)}
          maxLength={100}
          autoComplete="off"
        />
        <Button type="submit" variant="default">
          {texts.find}
        </Button>
      </form>
    ),
    nothingFound: (
      <div role="status">
        <Empty icon="search" title={texts.notFound}>
          <Button variant="default" onClick={() => change('')}>
            {texts.clear}
          </Button>
        </Empty>
      </div>
    ),
  }
}
