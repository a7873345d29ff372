import { Button, FileButton, Group, Input, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useId, useRef } from 'react'
import { type Profile, saveProfile, uploadPicture } from '../api/account.ts'
import { Avatar, ownAvatar } from '../shell/avatar.tsx'
import { Fault } from '../shell/fault.tsx'
import { Notice } from '../shell/notice.tsx'
import { toast } from '../shell/toasts.tsx'
import { account as texts, shell } from '../texts/index.ts'
import { squarePicture } from './square-picture.ts'

const t = texts.profile

/** The picture of the profile: uploads a file, and removes it. */
export function PictureField({ saved, onChange }: { saved: Profile; onChange: () => void }) {
  const labelId = useId()
  const resetFile = useRef<() => void>(null)
  const done = () => {
    onChange()
    toast(shell.saved)
  }
  const upload = useMutation({
    mutationFn: async (file: File) => {
      const image = await squarePicture(file).catch(() => undefined)
      return image === undefined ? false : uploadPicture(image)
    },
    onSuccess: (profile) => {
      if (profile !== false) done()
    },
  })
  const remove = useMutation({ mutationFn: () => saveProfile({ avatar: '' }), onSuccess: done })
  const error = upload.error ?? remove.error
  return (
    <Input.Wrapper
      label={t.picture}
      description={t.pictureHelp}
      labelElement="div"
      labelProps={{ id: labelId }}
      role="group"
      aria-labelledby={labelId}
    >
      <Group mt="xs">
        <Avatar seed={saved.username} src={ownAvatar(saved.avatar)} size={64} />
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
            {saved.isUploaded && (
              <Button
                variant="subtle"
                loading={remove.isPending}
                onClick={() => {
                  upload.reset()
                  remove.mutate()
                }}
              >
                {t.removePicture}
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
