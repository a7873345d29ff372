import { useState } from 'react'

interface AvatarProps {
  /** The generated picture is always the same for the same text. */
  seed: string
  /** The URL of the picture. Without it, or if it cannot be loaded, the component generates one. */
  src?: string | undefined
  size?: number
}

/** The picture of a user, shown next to the name. */
export function Avatar({ seed, src, size = 24 }: AvatarProps) {
  const [failed, setFailed] = useState<string>()
  if (src === undefined || src === failed) return <Generated seed={seed} size={size} />
  return (
    <img
      className="avatar"
      src={src}
      alt=""
      width={size}
      height={size}
      loading="lazy"
      decoding="async"
      onError={() => setFailed(src)}
    />
  )
}

/** The picture of a member of a board, as the service serves it. */
export const avatarOf = (address: string, url: string): string | undefined =>
  url === '' ? undefined : `/api/avatars?address=${encodeURIComponent(address)}&v=${hashOf(url).toString(36)}`

/** The picture of a starboard's user, as the service serves it. */
export const starboardAvatarOf = (starboard: string, username: string, url: string): string | undefined =>
  url === ''
    ? undefined
    : `/api/avatars?starboard=${encodeURIComponent(starboard)}&username=${encodeURIComponent(username)}&v=${hashOf(url).toString(36)}`

/** The picture of the own profile, as the service serves it. */
export const ownAvatar = (url: string): string | undefined =>
  url === '' ? undefined : `/api/profile/avatar?v=${hashOf(url).toString(36)}`

const SIDE = 5
const HALF = 3

/** Five by five squares, the right half as the left one. */
function Generated({ seed, size }: { seed: string; size: number }) {
  const hash = hashOf(seed)
  const colour = `hsl(${hash % 360} 55% 50%)`
  const squares = Array.from({ length: SIDE * HALF }, (_, n) => n)
    .filter((n) => (hashOf(`${n} ${seed}`) & 1) === 1)
    .flatMap((n) => {
      const [x, y] = [n % HALF, Math.floor(n / HALF)]
      return x === SIDE - 1 - x
        ? [[x, y]]
        : [
            [x, y],
            [SIDE - 1 - x, y],
          ]
    })
  return (
    <svg className="avatar" viewBox={`-1 -1 ${SIDE + 2} ${SIDE + 2}`} width={size} height={size} aria-hidden>
      {squares.map(([x, y]) => (
        <rect key={`${x} ${y}`} x={x} y={y} width="1.02" height="1.02" fill={colour} />
      ))}
    </svg>
  )
}

/** FNV-1a, 32 bits, with a last mix so that every bit depends on every character. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) >>> 0
}
