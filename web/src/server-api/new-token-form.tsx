import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { type Area, AREAS, createToken, type IssuedToken, type PlanChoice, planChoicesQuery } from '../api/tokens.ts'
import { FormFault, useFaults } from '../shell/form-faults.tsx'
import { useUnsavedInput } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { shell, serverApi as texts } from '../texts/index.ts'
import { expiryAfter, expiryChoices } from './expiry.ts'
import { readIds } from './ids.ts'
import { PublishableFields } from './publishable-fields.tsx'

const t = texts.tokens

export function NewTokenForm({ onMade, onCancel }: { onMade: (token: IssuedToken) => void; onCancel: () => void }) {
  const [name, setName] = useState('')
  const [areas, setAreas] = useState<string[]>([...AREAS])
  const [days, setDays] = useState('never')
  const [plan, setPlan] = useState('free')
  const [publishable, setPublishable] = useState(false)
  const [origins, setOrigins] = useState('')
  const [spaces, setSpaces] = useState<string[]>([])
  const plans = useQuery(planChoicesQuery).data?.plans ?? []
  const create = useMutation({
    mutationFn: () =>
      createToken({
        name: name.trim(),
        areas: areas as Area[],
        plan,
        ...expiryAfter(days),
        ...(publishable && { origins: readIds(origins), spaces: spaces.map(Number) }),
      }),
    onSuccess: onMade,
  })
  const input = { name, areas, days, plan, publishable, origins, spaces }
  const saving = { pending: create.isPending, error: create.error }
  const faultOf = useFaults(saving, input)
  useUnsavedInput(input, saving)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  const choose = (chosen: boolean) => {
    setPublishable(chosen)
    setAreas(chosen ? ['space'] : [...AREAS])
  }
  return (
    <form onSubmit={submit} className="inset">
      <Stack gap="sm" maw="28rem">
        <TextInput
          label={t.name}
          description={t.nameHelp}
          value={name}
          error={faultOf('name')}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="off"
          autoFocus
          required
        />
        <PublishableFields
          publishable={publishable}
          choose={choose}
          origins={origins}
          setOrigins={setOrigins}
          spaces={spaces}
          setSpaces={setSpaces}
          faultOf={faultOf}
        />
        <Checkbox.Group
          label={t.areas}
          value={areas}
          error={faultOf('areas', (_, message) => message)}
          onChange={setAreas}
        >
          <Group gap="md" mt={4}>
            {AREAS.map((area) => (
              <Checkbox key={area} value={area} label={t.areaNames[area]} />
            ))}
          </Group>
        </Checkbox.Group>
        <NativeSelect
          label={t.expiry}
          value={days}
          onChange={(event) => setDays(event.currentTarget.value)}
          data={expiryChoices}
        />
        {plans.length > 1 && (
          <NativeSelect
            label={t.planLabel}
            value={plan}
            error={faultOf('plan')}
            onChange={(event) => setPlan(event.currentTarget.value)}
            data={plans.map((choice) => ({ value: choice.plan, label: describe(choice) }))}
          />
        )}
        <FormFault error={create.error} shown={Object.keys(input)} withEntries labels={{ expiresAt: t.expiry }} />
        <Group>
          <Button type="submit" loading={create.isPending} disabled={name.trim() === '' || areas.length === 0}>
            {t.create}
          </Button>
          <Button variant="default" onClick={onCancel}>
            {shell.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function describe({ plan, perSecond, perDay }: PlanChoice): string {
  const limits = [
    perSecond === null ? undefined : t.perSecond(perSecond),
    perDay === null ? undefined : t.perDay(perDay),
  ]
  return t.planChoice(plan, limits.filter((limit) => limit !== undefined).join(', ') || t.noLimit)
}
