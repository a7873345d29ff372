import { Button, FileButton, Group, Text, Textarea } from '@mantine/core'
import { useMemo, useRef, useState } from 'react'
import { MAX_TEXT } from '../api/holders.ts'
import { sizeOf } from '../operator/file-size.ts'
import { holders as t } from '../texts/index.ts'

/** A list that is typed, or the text of a file. */
export interface ListDraft {
  text: string
  /** Large files are not shown in the field. */
  file?: { name: string; size: number }
}

export const emptyList: ListDraft = { text: '' }

/** Measured as JSON, in which line breaks and quotation marks take two characters. */
export const isTooLarge = ({ text }: ListDraft): boolean => new Blob([JSON.stringify(text)]).size > MAX_TEXT

interface ListTextProps {
  draft: ListDraft
  onChange: (draft: ListDraft) => void
  error?: string | undefined
}

/** The field for a list of holders, and the button that reads a file instead. */
export function ListText({ draft, onChange, error }: ListTextProps) {
  const resetFile = useRef<() => void>(null)
  const [unreadable, setUnreadable] = useState(false)
  const take = async (file: File | null) => {
    // Cleared, so that a corrected file with the same name can be chosen again.
    resetFile.current?.()
    if (!file) return
    const isLarge = file.size > MAX_TEXT
    // A file that is too large is not read; its size is enough to refuse it.
    const text = isLarge ? ' '.repeat(MAX_TEXT + 1) : await file.text().catch(() => undefined)
    setUnreadable(text === undefined)
    if (text !== undefined) onChange({ text, file: { name: file.name, size: file.size } })
  }
  const isLarge = useMemo(() => isTooLarge(draft), [draft])
  const fault = unreadable ? t.unreadable : isLarge ? t.tooLarge : error
  const change = (changed: ListDraft) => {
    setUnreadable(false)
    onChange(changed)
  }
  return (
    <>
      {draft.file === undefined ? (
        <Textarea
          className="content-list"
          label={t.text}
          description={t.textHelp}
          value={draft.text}
          error={fault}
          onChange={(event) => change({ text: event.currentTarget.value })}
          autosize
          minRows={4}
          maxRows={12}
          spellCheck={false}
        />
      ) : (
        <div>
          <Text fw={500} role="status" style={{ overflowWrap: 'anywhere' }}>
            {t.chosen(`${draft.file.name} (${sizeOf(draft.file.size)})`)}
          </Text>
          {fault !== undefined && (
            <Text size="sm" className="bad" role="alert">
              {fault}
            </Text>
          )}
        </div>
      )}
      <Group>
        <FileButton resetRef={resetFile} onChange={(file) => void take(file)}>
          {(props) => (
            <Button {...props} size="xs" variant="default">
              {t.choose}
            </Button>
          )}
        </FileButton>
        {draft.file !== undefined && (
          <Button size="xs" variant="default" onClick={() => change(emptyList)}>
            {t.drop}
          </Button>
        )}
      </Group>
    </>
  )
}
