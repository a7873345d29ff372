import { Radio, Stack, Textarea } from '@mantine/core'
import { Picker } from '../pickers/picker.tsx'
import { spaces } from '../pickers/source.ts'
import type { FaultAt } from '../shell/fault-at.ts'
import { serverApi as texts, shell } from '../texts/index.ts'

const t = texts.tokens

interface PublishableFieldsProps {
  publishable: boolean
  choose: (publishable: boolean) => void
  origins: string
  setOrigins: (text: string) => void
  spaces: string[]
  setSpaces: (ids: string[]) => void
  faultOf: FaultAt<'origins' | 'spaces'>
}

/** The choice between a server token and a publishable token, and the origins and spaces of a publishable one. */
export function PublishableFields({ publishable, choose, faultOf, ...lists }: PublishableFieldsProps) {
  return (
    <>
      <Radio.Group
        label={t.kind}
        value={publishable ? 'publishable' : 'secret'}
        onChange={(kind) => choose(kind === 'publishable')}
      >
        <Stack gap={6} mt={4}>
          <Radio value="secret" label={t.kinds.secret} description={t.kindHelp.secret} />
          <Radio value="publishable" label={t.kinds.publishable} description={t.kindHelp.publishable} />
        </Stack>
      </Radio.Group>
      {publishable && (
        <>
          <Textarea
            label={t.origins}
            description={t.originsHelp}
            value={lists.origins}
            error={faultOf('origins', shell.entry)}
            onChange={(event) => lists.setOrigins(event.currentTarget.value)}
            rows={2}
            spellCheck={false}
            required
          />
          <Picker
            source={spaces}
            label={t.spaces}
            description={t.spacesHelp}
            value={lists.spaces}
            error={faultOf('spaces', shell.entry)}
            onChange={lists.setSpaces}
          />
        </>
      )}
    </>
  )
}
