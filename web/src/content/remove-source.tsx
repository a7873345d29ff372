import { removeSource } from '../api/sources.ts'
import { ConfirmButton } from '../shell/confirm-button.tsx'
import { Fault } from '../shell/fault.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { content as texts } from '../texts/index.ts'

const t = texts.source

interface RemoveSourceProps {
  credentialId: string
  question: string
  label?: string
  /** The confirmation. */
  removed?: string
  onRemoved?: () => void
}

/** Removes the source of a credential; its holders stay. */
export function RemoveSource({
  credentialId,
  question,
  label = t.removeSource,
  removed = t.removed,
  onRemoved,
}: RemoveSourceProps) {
  const remove = useMutation({
    mutationFn: () => removeSource(credentialId),
    onSuccess: () => {
      toast(removed)
      onRemoved?.()
    },
  })
  return (
    <>
      <ConfirmButton
        label={label}
        size="sm"
        question={question}
        pending={remove.isPending}
        onConfirm={() => remove.mutate()}
      />
      <Fault error={remove.error} />
    </>
  )
}
