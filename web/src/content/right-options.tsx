import { Checkbox, Radio, Stack, Text } from '@mantine/core'
import { content as texts } from '../texts/index.ts'

const t = texts.source

interface RightOptionsProps {
  type: 'single' | 'several'
  options: string[]
  right: string[]
  error: string | undefined
  onChange: (right: string[]) => void
}

/** Selects the correct options of a question. */
export function RightOptions({ type, options, right, error, onChange }: RightOptionsProps) {
  const different = [...new Set(options)]
  if (different.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t.noOptions}
      </Text>
    )
  if (type === 'single')
    return (
      <Radio.Group label={t.right} value={right[0] ?? ''} error={error} onChange={(option) => onChange([option])}>
        <Stack gap={6} mt={6}>
          {different.map((option) => (
            <Radio key={option} size="sm" value={option} label={option} />
          ))}
        </Stack>
      </Radio.Group>
    )
  return (
    <Checkbox.Group label={t.rightOnes} value={right} error={error} onChange={onChange}>
      <Stack gap={6} mt={6}>
        {different.map((option) => (
          <Checkbox key={option} size="sm" value={option} label={option} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
