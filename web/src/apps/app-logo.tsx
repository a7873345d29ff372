import { Button, FileInput, Group, Stack } from '@mantine/core'
import { type OwnApp, setLogo, withdrawLogo } from '../api/apps.ts'
import { Fault } from '../shell/fault.tsx'
import { toast } from '../shell/toasts.tsx'
import { useMutation } from '../shell/use-mutation.ts'
import { serverApi as texts, shell } from '../texts/index.ts'

const t = texts.apps

/** The picture that users see next to the name. That of an approved app waits for the operator. */
export function AppLogo({ app }: { app: OwnApp }) {
  const logo = app.proposedLogo ?? app.logo
  const set = useMutation({
    mutationFn: async (file: File | null) => setLogo(app.clientId, file && (await base64Of(file))),
    onSuccess: () => toast(shell.saved),
  })
  const withdraw = useMutation({
    mutationFn: () => withdrawLogo(app.clientId),
    onSuccess: () => toast(shell.saved),
  })
  return (
    <Stack gap="xs" maw="34rem">
      <Group align="flex-end">
        {logo !== null && <img src={atRevision(logo, app.revision)} alt={t.logoOf(app.name)} width={48} height={48} />}
        <FileInput
          label={t.logo}
          description={t.logoHelp}
          placeholder={t.logoChoose}
          accept="image/png,image/jpeg,image/webp"
          value={null}
          onChange={(file) => file && set.mutate(file)}
          className="wide-field"
        />
        {app.proposedLogo !== null && (
          <Button variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate()}>
            {t.logoWithdraw}
          </Button>
        )}
        {app.proposedLogo === null && app.logo !== null && (
          <Button variant="default" loading={set.isPending} onClick={() => set.mutate(null)}>
            {t.logoRemove}
          </Button>
        )}
      </Group>
      <Fault error={set.error ?? withdraw.error} />
    </Stack>
  )
}

/** Another picture is served at the same address, which browsers keep for some minutes. */
export const atRevision = (logo: string, revision: number) => `${logo}?revision=${revision}`

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
