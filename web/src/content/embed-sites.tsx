import { Button, Group, NativeSelect, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { setEmbedOrigins } from '../api/explore.ts'
import { Fault } from '../shell/fault.tsx'
import { toast } from '../shell/toasts.tsx'
import { useUnsaved } from '../shell/unsaved.ts'
import { useMutation } from '../shell/use-mutation.ts'
import { explore, shell } from '../texts/index.ts'

const texts = explore.embeds

type Choice = 'all' | 'some' | 'none'

const choiceOf = (origins: string[] | null): Choice => (origins === null ? 'all' : origins.length > 0 ? 'some' : 'none')

/** The sites that may show the board in a frame. */
export function EmbedSites({ spaceId, origins }: { spaceId: string; origins: string[] | null }) {
  const [chosen, choose] = useState<Choice>()
  const [typed, setTyped] = useState<string>()
  const [isMissing, setIsMissing] = useState(false)
  const save = useMutation({
    mutationFn: (wanted: string[] | null) => setEmbedOrigins(spaceId, wanted),
    onSuccess: () => {
      choose(undefined)
      setTyped(undefined)
      toast(shell.saved)
    },
  })
  const choice = chosen ?? choiceOf(origins)
  const text = typed ?? (origins ?? []).join('\n')
  const lines = text.split(/\s+/).filter((line) => line !== '')
  const changed = choice !== choiceOf(origins) || (choice === 'some' && lines.join('\n') !== (origins ?? []).join('\n'))
  useUnsaved(changed)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isMissing = choice === 'some' && lines.length === 0
    setIsMissing(isMissing)
    if (isMissing) return
    save.mutate(choice === 'all' ? null : choice === 'some' ? lines : [])
  }
  return (
    <form className="embed-sites" onSubmit={submit} noValidate>
      <NativeSelect
        label={texts.sites}
        data={(['all', 'some', 'none'] as const).map((value) => ({ value, label: texts.sitesChoices[value] }))}
        value={choice}
        onChange={(event) => {
          setIsMissing(false)
          choose(event.currentTarget.value as Choice)
        }}
      />
      {choice === 'some' && (
        <Textarea
          label={texts.origins}
          description={texts.originsHelp}
          value={text}
          error={isMissing && lines.length === 0 && texts.noOrigins}
          minRows={2}
          autosize
          spellCheck={false}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <Group>
        <Button type="submit" variant="default" loading={save.isPending} disabled={!changed}>
          {texts.save}
        </Button>
      </Group>
      <Fault error={save.error} labels={{ origins: texts.origins }} />
    </form>
  )
}
