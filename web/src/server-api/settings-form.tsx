import { Button, Group, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { FormFault } from '../shell/form-faults.tsx'
import { useUnsavedInput } from '../shell/unsaved.ts'
import { shell as texts } from '../texts/index.ts'

export interface SettingsFormState<Form> {
  saved: Form
  action: string
  pending: boolean
  error: Error | null
  save: (form: Form) => void
  cancel?: () => void
}

interface SettingsFormProps extends Omit<SettingsFormState<object>, 'save' | 'saved'> {
  /** The current values of the fields. */
  form: object
  submit: () => void
  children: ReactNode
}

/** The frame of a form. Each error is shown next to its field, and the remaining errors at the end of the form. */
export function SettingsForm({ form, action, pending, error, submit, cancel, children }: SettingsFormProps) {
  useUnsavedInput(form, { pending, error })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    submit()
  }
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack gap="sm" maw="34rem">
        {children}
        <FormFault error={error} shown={Object.keys(form)} withEntries />
        <Group>
          <Button type="submit" loading={pending}>
            {action}
          </Button>
          {cancel && (
            <Button variant="default" onClick={cancel}>
              {texts.cancel}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}
