import { Button, Group, Stack, Switch, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { makePlan, type Plan, savePlan } from '../api/operator.ts'
import { FormFault, useFaults } from '../shell/form-faults.tsx'
import { toast } from '../shell/toasts.tsx'
import { useUnsavedInput } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { shell } from '../texts/index.ts'
import { operator as texts } from '../texts/operator-pages.ts'

const t = texts.plans
const shown = (limit: number | null | undefined) => (limit === null || limit === undefined ? '' : String(limit))
/** A text that cannot be read as a number is sent unchanged, so that the service reports the allowed values. */
function read(text: string): number | null {
  if (text.trim() === '') return null
  return Number.isNaN(Number(text)) ? (text as unknown as number) : Number(text)
}

/** A form for the limits of a plan. Without `saved`, it creates a plan. */
export function PlanForm({ saved, close }: { saved?: Plan; close: () => void }) {
  const [name, setName] = useState(saved?.plan ?? '')
  const [perSecond, setPerSecond] = useState(shown(saved?.perSecond))
  const [perDay, setPerDay] = useState(shown(saved?.perDay))
  // "open" in the API.
  const [choosable, setChoosable] = useState(saved?.open ?? false)
  const save = useMutation({
    mutationFn: () => {
      const changes = { perSecond: read(perSecond), perDay: read(perDay), open: choosable }
      // A new plan with the name of another one is refused, so it cannot replace that plan.
      return saved ? savePlan(saved.plan, changes) : makePlan({ plan: name.trim(), ...changes })
    },
    onSuccess: () => {
      close()
      toast(shell.saved)
    },
  })
  useUnsavedInput({ name, perSecond, perDay, choosable }, { pending: save.isPending, error: save.error })
  const faultAt = useFaults({ pending: save.isPending, error: save.error }, { plan: name, perSecond, perDay })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit} className="inset">
      <Stack gap="sm" maw="28rem">
        {!saved && (
          <TextInput
            label={t.name}
            description={t.nameHelp}
            value={name}
            error={faultAt('plan')}
            onChange={(event) => setName(event.currentTarget.value)}
            maxLength={40}
            autoComplete="off"
            required
          />
        )}
        <TextInput
          label={t.perSecond}
          description={t.unlimitedHelp}
          inputMode="numeric"
          value={perSecond}
          error={faultAt('perSecond')}
          onChange={(event) => setPerSecond(event.currentTarget.value)}
        />
        <TextInput
          label={t.perDay}
          description={t.unlimitedHelp}
          inputMode="numeric"
          value={perDay}
          error={faultAt('perDay')}
          onChange={(event) => setPerDay(event.currentTarget.value)}
        />
        <Switch label={t.open} checked={choosable} onChange={(event) => setChoosable(event.currentTarget.checked)} />
        <FormFault error={save.error} shown={['plan', 'perSecond', 'perDay']} />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
            {shell.save}
          </Button>
          <Button variant="default" onClick={close}>
            {shell.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
