import './brand.css'
import { brand } from '../brand.ts'

/** Logo and name of the installation. */
export function Brand() {
  return (
    <span className="brand">
      <img src={brand.logo} alt="" width={24} height={24} />
      {brand.name}
    </span>
  )
}
