import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { Picker } from '../pickers/picker.tsx'
import { credentials, quests, spaces, starboards } from '../pickers/source.ts'
import { Section } from '../shell/section.tsx'
import { explore as texts } from '../texts/index.ts'

const t = texts.open
const sources = { spaces, starboards, credentials, quests }
type Kind = keyof typeof sources
const kinds = Object.entries(texts.kind).map(([value, label]) => ({ value, label }))

/** For those who know what they look for. */
export function OpenById() {
  const [kind, setKind] = useState<Kind>('spaces')
  const [, go] = useLocation()
  return (
    <Section title={t.title} lead={t.lead}>
      <div className="line-form">
        <NativeSelect
          label={t.kind}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value as Kind)}
          data={kinds}
        />
        <Picker
          key={kind}
          single
          className="wide-field"
          source={sources[kind]}
          label={texts.kind[kind]}
          value={[]}
          onChange={([id = '']) => go(`/explore/${kind}/${encodeURIComponent(id)}`)}
        />
      </div>
    </Section>
  )
}
