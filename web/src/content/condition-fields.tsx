import { CloseButton, TextInput } from '@mantine/core'
import type { Condition } from '../api/content.ts'
import { content as texts } from '../texts/index.ts'
import { CredentialPicker } from './credential-picker.tsx'
import type { FaultAt } from '../shell/fault-at.ts'

const t = texts.groups

interface ConditionFieldsProps {
  number: number
  spaceId: number
  condition: Condition
  faultAt: FaultAt
  onChange: (condition: Condition) => void
  onRemove: () => void
}

/** One condition of a group: a credential, and the text that members read. */
export function ConditionFields({ number, spaceId, condition, faultAt, onChange, onRemove }: ConditionFieldsProps) {
  return (
    <li className="content-line">
      <CredentialPicker
        spaceId={spaceId}
        value={condition.credentialId}
        error={faultAt('credentialId')}
        onChange={(credentialId) => onChange({ ...condition, credentialId })}
      />
      <TextInput
        label={t.expression}
        placeholder={t.expressionHelp}
        value={condition.expression}
        error={faultAt('expression')}
        onChange={(event) => onChange({ ...condition, expression: event.currentTarget.value })}
        autoComplete="off"
      />
      <CloseButton aria-label={t.removeCondition(number)} onClick={onRemove} />
    </li>
  )
}
