import './content.css'
import { type EditedSpace, removeLogo, uploadLogo } from '../api/content.ts'
import { PictureField } from '../shell/picture-field.tsx'
import { content as texts } from '../texts/index.ts'

const t = texts.space
const SIZE = 64

/** The logo of a space on its public pages. */
export function SpaceLogo({ space: { spaceId, name, logo } }: { space: EditedSpace }) {
  return (
    <PictureField
      label={t.logo}
      description={t.logoHelp}
      picture={
        logo === null ? (
          <span className="no-logo" aria-hidden>
            {[...name][0]}
          </span>
        ) : (
          <img className="space-logo" src={logo} alt="" width={SIZE} height={SIZE} decoding="async" />
        )
      }
      removable={logo !== null}
      upload={(image) => uploadLogo(spaceId, image)}
      remove={() => removeLogo(spaceId)}
    />
  )
}
