import { Button, Group, Stack, Text } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { shell as texts } from '../texts/index.ts'
import { COPIED_FOR } from './copied-for.ts'
import { Notice } from './notice.tsx'
import { useShownOnce } from './unsaved.ts'

interface SecretOnceProps {
  title: string
  value: string
  close: () => void
  /** The next step with the value. */
  children?: ReactNode
}

/** A value that is shown only once and has to be copied now. It takes the focus so that users notice it. */
export const SecretOnce = (props: SecretOnceProps) => <ShownSecret key={props.value} {...props} />

function ShownSecret({ title, value, close, children }: SecretOnceProps) {
  const box = useRef<HTMLDivElement>(null)
  const [kept, setKept] = useState(false)
  useShownOnce(!kept)
  // Copying can fail, for example without https.
  const { copied, copy } = useClipboard({ timeout: COPIED_FOR })
  if (copied && !kept) setKept(true)
  useEffect(() => box.current?.focus(), [])
  return (
    <div ref={box} tabIndex={-1} className="secret">
      <Notice kind="good" title={title}>
        <Stack gap="sm">
          <Text size="sm">{texts.shownOnce}</Text>
          <code className="mono secret-value">{value}</code>
          <Group gap="xs">
            <Button size="xs" aria-live="polite" onClick={() => copy(value)}>
              {copied ? texts.copied : texts.copy}
            </Button>
            <Button size="xs" variant="default" onClick={close}>
              {texts.keptIt}
            </Button>
          </Group>
        </Stack>
      </Notice>
      {children}
    </div>
  )
}
