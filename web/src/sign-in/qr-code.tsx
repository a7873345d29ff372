import { useMemo } from 'react'
import { encode } from 'uqr'
import { signIn as texts } from '../texts/index.ts'

/** Empty modules around the code. ISO/IEC 18004 requires four; the padding adds the others. */
const MARGIN = 2

export default function QrCode({ text }: { text: string }) {
  const { size, path } = useMemo(() => {
    const { data, size } = encode(text, { ecc: 'M', border: MARGIN })
    const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
    return { size, path }
  }, [text])
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={texts.wallet.qrLabel(text)}>
      <path d={path} fill="currentColor" shapeRendering="crispEdges" />
    </svg>
  )
}
