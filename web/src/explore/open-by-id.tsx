import { Button, NativeSelect, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { Section } from '../shell/section.tsx'
import { explore as texts } from '../texts/index.ts'

const t = texts.open
const kinds = Object.entries(texts.kind).map(([value, label]) => ({ value, label }))

/** For those who know what they look for. */
export function OpenById() {
  const [kind, setKind] = useState('spaces')
  const [id, setId] = useState('')
  const [, go] = useLocation()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (id.trim() !== '') go(`/explore/${kind}/${encodeURIComponent(id.trim())}`)
  }
  return (
    <Section title={t.title} lead={t.lead}>
      <form onSubmit={submit} className="line-form">
        <NativeSelect
          label={t.kind}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value)}
          data={kinds}
        />
        <TextInput
          label={t.id}
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
        />
        <Button type="submit">{t.go}</Button>
      </form>
    </Section>
  )
}
