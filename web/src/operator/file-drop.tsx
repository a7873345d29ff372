import { Button, FileButton, Text } from '@mantine/core'
import { type DragEvent, useRef, useState } from 'react'
import { Icon } from '../shell/icon.tsx'
import { imports as t } from '../texts/operator-pages.ts'
import { sizeOf } from './file-size.ts'

interface FileDropProps {
  file: File | null
  onFile: (file: File) => void
  disabled: boolean
}

/** An area onto which a file can be dropped, and a button that chooses one. */
export function FileDrop({ file, onFile, disabled }: FileDropProps) {
  const [isOver, setIsOver] = useState(false)
  const [several, setSeveral] = useState(false)
  const resetFile = useRef<() => void>(null)
  const take = (files: readonly File[]) => {
    const [first, ...others] = files
    setSeveral(others.length > 0)
    if (first && others.length === 0) onFile(first)
  }
  const over = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(!disabled)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    if (!disabled) take([...event.dataTransfer.files])
  }
  return (
    <div
      className="file-drop"
      data-over={isOver || undefined}
      onDragOver={over}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <Icon name="upload" size={28} />
      <div>
        {file === null ? (
          <Text>{isOver ? t.dropHere : t.drop}</Text>
        ) : (
          <Text fw={500} role="status" style={{ overflowWrap: 'anywhere' }}>
            {file.name} ({sizeOf(file.size)})
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {t.limit}
        </Text>
        {several && (
          <Text size="sm" className="bad" role="alert">
            {t.oneFile}
          </Text>
        )}
      </div>
      <FileButton
        resetRef={resetFile}
        disabled={disabled}
        onChange={(chosen) => {
          take(chosen ? [chosen] : [])
          // Cleared, so that a corrected file with the same name can be chosen again.
          resetFile.current?.()
        }}
      >
        {(props) => (
          <Button {...props} variant="default">
            {t.choose}
          </Button>
        )}
      </FileButton>
    </div>
  )
}
