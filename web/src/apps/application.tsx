import { useState } from 'react'
import { useLocation } from 'wouter'
import { type AppForm, applyForApp } from '../api/apps.ts'
import { SettingsForm } from '../server-api/settings-form.tsx'
import { useFaults } from '../shell/form-faults.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { forgetUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { serverApi as texts } from '../texts/index.ts'
import { emptyApp } from './app-form.ts'
import { DetailsFields } from './details-fields.tsx'
import { SignInFields } from './sign-in-fields.tsx'

const t = texts.apps

/** Applies for an app, and opens its page. */
export function Application({ cancel }: { cancel: () => void }) {
  const [, navigate] = useLocation()
  const [form, setForm] = useState(emptyApp)
  const apply = useMutation({ mutationFn: applyForApp })
  const fields = {
    form,
    change: (changes: Partial<AppForm>) => setForm((before) => ({ ...before, ...changes })),
    faultOf: useFaults({ pending: apply.isPending, error: apply.error }, form),
  }
  return (
    <Section title={t.apply}>
      <SettingsForm
        form={form}
        action={t.form.send}
        pending={apply.isPending}
        error={apply.error}
        submit={() =>
          apply.mutate(form, {
            onSuccess({ clientId }) {
              toast(t.applied(form.name))
              forgetUnsaved()
              navigate(`/settings/server-api/apps/${clientId}`)
            },
          })
        }
        cancel={cancel}
      >
        <DetailsFields {...fields} />
        <SignInFields {...fields} fixed={false} />
      </SettingsForm>
    </Section>
  )
}
