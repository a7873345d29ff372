import { ConfirmButton } from '../shell/confirm-button.tsx'
import { content as texts } from '../texts/index.ts'

interface DeleteButtonProps {
  /** The name of the object that is deleted. */
  name: string
  question: string
  remove: { isPending: boolean; mutate: () => void }
}

/** Beside the button that saves the form of an object. */
export function DeleteButton({ name, question, remove }: DeleteButtonProps) {
  return (
    <ConfirmButton
      size="sm"
      label={texts.delete}
      name={texts.deleteNamed(name)}
      question={question}
      pending={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  )
}
