import './brand.css'
import { shell as texts } from '../texts/index.ts'
import icon from '../icon.svg'

export function Brand() {
  return (
    <span className="brand">
      <img src={icon} alt="" width={24} height={24} />
      {texts.brand}
    </span>
  )
}
