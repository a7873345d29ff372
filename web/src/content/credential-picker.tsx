import { Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { credentialQuery, credentialsQuery, type Listed } from '../api/content.ts'
import { content as texts } from '../texts/index.ts'

const t = texts.groups

interface CredentialPickerProps {
  spaceId: number
  value: string
  error: string | undefined
  onChange: (id: string) => void
}

/** Picks one of the credentials of a space by a part of its name. A quest may also use one of another space. */
export function CredentialPicker({ spaceId, value, error, onChange }: CredentialPickerProps) {
  const [search, setSearch] = useState('')
  const sought = useDeferredValue(search.trim())
  const picked = useQuery({ ...credentialQuery(value), enabled: value !== '', retry: false }).data
  // After a choice, the text of the field is the name of the choice.
  const found = useQuery(credentialsQuery(spaceId, sought === picked?.name ? '' : sought)).data?.items ?? []
  const known: Listed[] = value === '' ? [] : [{ id: value, name: picked?.name ?? value }]
  const choices = new Map([...known, ...found].map(({ id, name }) => [id, { value: id, label: name }]))
  return (
    <Select
      label={t.credential}
      placeholder={t.pick}
      data={[...choices.values()]}
      value={value === '' ? null : value}
      error={error}
      onChange={(id) => onChange(id ?? '')}
      searchable
      onSearchChange={setSearch}
      // The service has searched.
      filter={({ options }) => options}
      nothingFoundMessage={t.noCredential}
      required
    />
  )
}
