import { Button, CopyButton } from '@mantine/core'
import { shell as texts } from '../texts/index.ts'
import { COPIED_FOR } from './copied-for.ts'

/** Values that other programs need, each with a button that copies it. */
export function CopyValues({ values }: { values: readonly { name: string; value: string }[] }) {
  return (
    <dl className="values copy-values">
      {values.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <code className="mono">{value}</code>
            <CopyButton value={value} timeout={COPIED_FOR}>
              {({ copied, copy }) => (
                <Button size="compact-xs" variant="default" onClick={copy} aria-label={texts.copyNamed(name, copied)}>
                  {copied ? texts.copied : texts.copy}
                </Button>
              )}
            </CopyButton>
          </dd>
        </div>
      ))}
    </dl>
  )
}
