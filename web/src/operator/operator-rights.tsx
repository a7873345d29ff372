import { type PersonProfile, setOperator } from '../api/people.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { Fault } from '../shell/fault.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { people as texts } from '../texts/operator-pages.ts'

/** Makes an account an operator, or withdraws the rights. */
export function OperatorRights({ person: { id, username, operator } }: { person: PersonProfile }) {
  const change = useMutation({
    mutationFn: () => setOperator(id, !operator),
    onSuccess: () => toast(operator ? texts.withdrawn(username) : texts.granted(username)),
  })
  return (
    <Section title={texts.rights} lead={texts.rightsLead}>
      <div>
        <ConfirmButton
          size="sm"
          neutral={!operator}
          label={operator ? texts.withdraw : texts.grant}
          question={operator ? texts.withdrawQuestion(username) : texts.grantQuestion(username)}
          pending={change.isPending}
          onConfirm={() => change.mutate()}
        />
      </div>
      <Fault error={change.error} />
    </Section>
  )
}
