import { Button, CopyButton, Stack } from '@mantine/core'
import { shell as texts } from '../texts/index.ts'
import { COPIED_FOR } from './copied-for.ts'

interface CodeToCopyProps {
  code: string
  /** The label of the button. Other buttons on the page have other labels. */
  name: string
  /** The text that the button copies; default: the code as shown. */
  copied?: string
}

/** Code with a button that copies it. */
export function CodeToCopy({ code, name, copied: text = code }: CodeToCopyProps) {
  return (
    <Stack gap="xs" align="flex-start">
      <pre className="code code-to-copy" tabIndex={0}>
        {code}
      </pre>
      <CopyButton value={text} timeout={COPIED_FOR}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy} aria-live="polite">
            {copied ? texts.copied : name}
          </Button>
        )}
      </CopyButton>
    </Stack>
  )
}
