import { Button, FileButton, Group, Input, Stack } from '@mantine/core'
import { type ReactNode, useId, useRef } from 'react'
import { shell } from '../texts/index.ts'
import { Fault } from './fault.tsx'
import { Notice } from './notice.tsx'
import { squarePicture } from './square-picture.ts'
import { toast } from './toasts.tsx'
import { useMutation } from './use-mutation.ts'

const t = shell.picture

interface PictureFieldProps {
  label: string
  /** The places where the picture appears. */
  description?: string
  picture: ReactNode
  removable: boolean
  /** @param image in base64 */
  upload: (image: string) => Promise<unknown>
  remove: () => Promise<unknown>
  onChange?: () => void
}

/** A picture that an upload sets and a click removes, at once. A form beside it does not save the picture. */
export function PictureField({ label, description, picture, removable, onChange, ...requests }: PictureFieldProps) {
  const labelId = useId()
  const resetFile = useRef<() => void>(null)
  const done = () => {
    onChange?.()
    toast(shell.saved)
  }
  const upload = useMutation({
    mutationFn: async (file: File) => {
      const image = await squarePicture(file).catch(() => undefined)
      if (image === undefined) return false
      await requests.upload(image)
      return true
    },
    onSuccess: (uploaded) => {
      if (uploaded) done()
    },
  })
  const remove = useMutation({ mutationFn: requests.remove, onSuccess: done })
  const error = upload.error ?? remove.error
  return (
    <Input.Wrapper
      label={label}
      description={description === undefined ? t.help : `${description} ${t.help}`}
      labelElement="div"
      labelProps={{ id: labelId }}
      role="group"
      aria-labelledby={labelId}
    >
      <Group mt="xs">
        {picture}
        <Stack gap="xs">
          <Group gap="xs">
            <FileButton
              resetRef={resetFile}
              accept="image/png,image/jpeg,image/webp"
              onChange={(file) => {
                remove.reset()
                if (file) upload.mutate(file)
                // So that the same file can be chosen again.
                resetFile.current?.()
              }}
            >
              {(props) => (
                <Button {...props} variant="default" loading={upload.isPending}>
                  {t.upload}
                </Button>
              )}
            </FileButton>
            {removable && (
              <Button
                variant="subtle"
                loading={remove.isPending}
                onClick={() => {
                  upload.reset()
                  remove.mutate()
                }}
              >
                {t.remove}
              </Button>
            )}
          </Group>
          {upload.data === false && <Notice kind="fault" title={t.unreadable} />}
          <Fault error={error} />
        </Stack>
      </Group>
    </Input.Wrapper>
  )
}
