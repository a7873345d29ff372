import { Switch } from '@mantine/core'
import { setUseForEligibility } from '../api/account.ts'
import { Fault } from '../shell/fault.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { account as texts, shell } from '../texts/index.ts'

const t = texts.identities

interface EligibilitySwitchProps {
  kind: string
  subject: string
  checked: boolean
  /** The accessible name. */
  name: string
}

/** Sets whether an identity also counts when the service checks another identity of the account. */
export function EligibilitySwitch({ kind, subject, checked, name }: EligibilitySwitchProps) {
  const save = useMutation({
    mutationFn: (useForEligibility: boolean) => setUseForEligibility(kind, subject, useForEligibility),
    onSuccess: () => toast(shell.saved),
  })
  return (
    <>
      <Switch
        size="sm"
        mt={6}
        label={t.useForEligibility}
        aria-label={name}
        checked={save.isPending ? save.variables : checked}
        aria-busy={save.isPending}
        aria-disabled={save.isPending}
        onChange={({ currentTarget: { checked } }) => {
          // A disabled switch would lose the focus.
          if (!save.isPending) save.mutate(checked)
        }}
      />
      <Fault error={save.error} />
    </>
  )
}
