import { Button, Group, Stack, Switch, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { type Profile, type ProfileChanges, profileQuery, saveProfile, uploadPicture } from '../api/account.ts'
import { ownRanksQuery } from '../api/my.ts'
import { NameOnBoards } from '../my/name-on-boards.tsx'
import { SHOW_NAME } from '../my/show-name.tsx'
import { leadTo } from '../shell/lead-to.ts'
import { FormFault, useFaults } from '../shell/form-faults.tsx'
import { Avatar, ownAvatar } from '../shell/avatar.tsx'
import { Loading } from '../shell/loading.tsx'
import { PictureField } from '../shell/picture-field.tsx'
import { Section } from '../shell/section.tsx'
import { toast } from '../shell/toasts.tsx'
import { LoadFailure } from '../shell/load-failure.tsx'
import { useUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { account as texts, shell } from '../texts/index.ts'

const t = texts.profile
/** What leaderboards show in place of a name. */
const CODE = /^[0-9a-f]{10}$/

/** Name and avatar of the user on boards. */
export function ProfileForm() {
  const profile = useQuery(profileQuery)
  return (
    <Section title={t.title} lead={t.lead}>
      {profile.isPending ? (
        <Loading />
      ) : profile.isLoadingError ? (
        <LoadFailure error={profile.error} retry={() => void profile.refetch()} />
      ) : (
        <Fields saved={profile.data} />
      )}
    </Section>
  )
}

function Fields({ saved }: { saved: Profile }) {
  const nameField = useRef<HTMLInputElement>(null)
  const [wantsName] = useState(() => location.hash === `#${SHOW_NAME}`)
  // A choice that the link makes is no input to lose.
  const [preset] = useState<ProfileChanges>(wantsName && !saved.isPublic ? { isPublic: true } : {})
  const [typed, setTyped] = useState(preset)
  useEffect(() => {
    if (!wantsName) return
    leadTo(nameField.current)
    nameField.current?.select()
  }, [wantsName])
  const value = { ...saved, ...typed }
  useUnsaved(JSON.stringify(value) !== JSON.stringify({ ...saved, ...preset }))
  const save = useMutation({
    mutationFn: () => saveProfile(typed),
    onSuccess: () => {
      setTyped({})
      toast(shell.saved)
    },
  })
  const faultAt = useFaults({ pending: save.isPending, error: save.error }, typed)
  const code = useQuery(ownRanksQuery).data?.list.find(({ username }) => CODE.test(username))?.username
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" maw="28rem">
        <TextInput
          ref={nameField}
          label={t.username}
          // The error says the same.
          description={faultAt('username') === undefined && t.usernameHelp}
          value={value.username}
          error={faultAt('username')}
          autoComplete="username"
          spellCheck={false}
          onChange={(event) => setTyped({ ...typed, username: event.currentTarget.value })}
        />
        <PictureField
          label={t.picture}
          picture={<Avatar seed={saved.username} src={ownAvatar(saved.avatar)} size={64} />}
          removable={saved.isUploaded}
          upload={uploadPicture}
          remove={() => saveProfile({ avatar: '' })}
          onChange={() => setTyped(withoutAvatar)}
        />
        <TextInput
          label={t.avatar}
          description={saved.isUploaded ? t.avatarReplaces : t.avatarHelp}
          type="url"
          value={typed.avatar ?? (saved.isUploaded ? '' : saved.avatar)}
          error={faultAt('avatar')}
          onChange={({ currentTarget: { value: avatar } }) =>
            // An empty field must not delete an uploaded picture.
            setTyped(saved.isUploaded && avatar === '' ? withoutAvatar(typed) : { ...typed, avatar })
          }
        />
        <NamesOnBoards />
        <Switch
          label={t.isPublic}
          description={code === undefined ? t.isPublicHelp : t.isPublicHelpOf(code)}
          checked={value.isPublic}
          onChange={(event) => setTyped({ ...typed, isPublic: event.currentTarget.checked })}
        />
        <FormFault error={save.error} shown={['username', 'avatar']} />
        <Group>
          <Button type="submit" loading={save.isPending} disabled={Object.keys(typed).length === 0}>
            {shell.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Each name that a leaderboard shows for one of the linked addresses. */
function NamesOnBoards() {
  const ranks = useQuery(ownRanksQuery).data?.list ?? []
  const named = new Map(ranks.map((rank) => [rank.username, rank]))
  return [...named.values()].map((rank) => <NameOnBoards key={rank.username} rank={rank} />)
}

/** Removes a URL that the user entered: an uploaded picture replaces it. */
const withoutAvatar = ({ username, isPublic }: ProfileChanges): ProfileChanges => ({
  ...(username !== undefined && { username }),
  ...(isPublic !== undefined && { isPublic }),
})
