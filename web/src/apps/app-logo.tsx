import { Button, FileInput, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type OwnApp, setLogo } from '../api/apps.ts'
import { Fault } from '../shell/fault.tsx'
import { toast } from '../shell/toasts.tsx'
import { serverApi as texts, shell } from '../texts/index.ts'

const t = texts.apps

/** The picture that users see next to the name. It can be changed until the operator has decided about it. */
export function AppLogo({ app }: { app: OwnApp }) {
  const set = useMutation({
    mutationFn: async (file: File | null) => setLogo(app.clientId, file && (await base64Of(file))),
    onSuccess: () => toast(shell.saved),
  })
  return (
    <Stack gap="xs" maw="34rem">
      <Group align="flex-end">
        {app.logo !== null && (
          // Another picture is served at the same address, which browsers keep for some minutes.
          <img src={`${app.logo}?revision=${app.revision}`} alt={t.logoOf(app.name)} width={48} height={48} />
        )}
        <FileInput
          label={t.logo}
          description={t.logoHelp}
          placeholder={t.logoChoose}
          accept="image/png,image/jpeg,image/webp"
          value={null}
          onChange={(file) => file && set.mutate(file)}
          className="wide-field"
        />
        {app.logo !== null && (
          <Button variant="default" loading={set.isPending} onClick={() => set.mutate(null)}>
            {t.logoRemove}
          </Button>
        )}
      </Group>
      <Fault error={set.error} />
    </Stack>
  )
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}
