import { UnstyledButton } from '@mantine/core'
import { KindMark } from './kind-mark.tsx'

interface ChoiceButtonProps {
  kind: string
  icon?: string | undefined
  label: string
  hint?: string | undefined
  /** The most common choice. */
  main?: boolean
  onClick: () => void
}

/** One way of signing in, as a row. */
export function ChoiceButton({ kind, icon, label, hint, main, onClick }: ChoiceButtonProps) {
  return (
    <UnstyledButton className="choice" data-main={main || undefined} onClick={onClick}>
      <KindMark kind={kind} icon={icon} />
      <span className="choice-label">{label}</span>
      {hint !== undefined && <span className="choice-hint">{hint}</span>}
    </UnstyledButton>
  )
}
