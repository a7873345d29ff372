import { Button, CopyButton, Stack } from '@mantine/core'
import { shell as texts } from '../texts/index.ts'
import { COPIED_FOR } from './copied-for.ts'

/** Code with a button that copies it. `name` tells the button apart from others on the page. */
export function CodeToCopy({ code, name }: { code: string; name: string }) {
  return (
    <Stack gap="xs" align="flex-start">
      <pre className="code code-to-copy" tabIndex={0}>
        {code}
      </pre>
      <CopyButton value={code} timeout={COPIED_FOR}>
        {({ copied, copy }) => (
          <Button size="xs" variant="default" onClick={copy} aria-live="polite">
            {copied ? texts.copied : name}
          </Button>
        )}
      </CopyButton>
    </Stack>
  )
}
