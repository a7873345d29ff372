import { Picker } from '../pickers/picker.tsx'
import { credentialsOf } from '../pickers/source.ts'
import { content as texts } from '../texts/index.ts'

const t = texts.groups

interface CredentialPickerProps {
  spaceId: number
  value: string
  error: string | undefined
  onChange: (id: string) => void
}

/** Picks one of the credentials of a space. A quest may also use one of another space. */
export function CredentialPicker({ spaceId, value, error, onChange }: CredentialPickerProps) {
  return (
    <Picker
      single
      source={credentialsOf(spaceId)}
      label={t.credential}
      nothing={t.noCredential}
      {...(value === '' && { empty: t.noCredentials, footer: <NewCredential spaceId={spaceId} /> })}
      value={value === '' ? [] : [value]}
      error={error}
      onChange={([id = '']) => onChange(id)}
      required
    />
  )
}

const NewCredential = ({ spaceId }: { spaceId: number }) => (
  <a href={`/content/spaces/${spaceId}/new-credential`} target="_blank" rel="noopener" className="text-link">
    {t.newCredential}
  </a>
)
