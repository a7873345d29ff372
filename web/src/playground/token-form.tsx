import { Button, Group, PasswordInput } from '@mantine/core'
import { type SubmitEvent, useEffect, useState } from 'react'
import { playground as texts } from '../texts/index.ts'

const t = texts.token

/** A field for the server token; `onChange('')` deletes it. */
export function TokenForm({ token, onChange }: { token: string; onChange: (token: string) => void }) {
  const [typed, setTyped] = useState(token)
  const [problem, setProblem] = useState<string>()
  useEffect(() => setTyped(token), [token])

  function submit(event: SubmitEvent) {
    event.preventDefault()
    const value = typed.trim()
    const found = value === '' ? t.empty : /^[\x21-\x7e]+$/.test(value) ? undefined : t.characters
    setProblem(found)
    if (found === undefined) onChange(value)
  }

  return (
    <form className="playground-token-form" onSubmit={submit}>
      <Group align="flex-end" gap="xs">
        <PasswordInput
          className="playground-token-input"
          label={t.label}
          description={t.kept}
          inputWrapperOrder={['label', 'input', 'error']}
          placeholder="qbs_…"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={problem}
          autoComplete="off"
          spellCheck={false}
          visibilityToggleButtonProps={{ 'aria-label': t.toggle }}
        />
        <Button type="submit">{t.use}</Button>
        {token !== '' && (
          <Button variant="default" onClick={() => onChange('')}>
            {t.forget}
          </Button>
        )}
      </Group>
    </form>
  )
}
