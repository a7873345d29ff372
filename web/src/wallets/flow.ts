import { type InstalledWallet, safeIcon } from './installed-wallet.ts'
import { WalletFailure } from './wallet-failure.ts'

/** A wallet extension as it enters itself in `window.fcl_extensions`. */
interface FlowService {
  type: string
  method: string
  uid?: string
  id?: string
  params?: unknown
  data?: unknown
  provider?: { name?: string; icon?: string }
}

interface CompositeSignature {
  addr?: string
  keyId: number
  signature: string
}

interface Authentication {
  addr?: string
  services?: { type: string; data?: { address?: string; signatures?: CompositeSignature[] } }[]
}

interface ExtensionMessage {
  type?: string
  f_type?: string
  status?: 'APPROVED' | 'DECLINED' | 'PENDING'
  data?: Authentication
}

/** The timeout for the first message of an extension. */
const READY_WITHIN_MS = 10_000

/** Finds wallets that are extensions (EXT/RPC). Others need pages of third parties, which are not loaded. */
export function discoverFlow(found: (wallets: InstalledWallet[]) => void): void {
  const services = (window as { fcl_extensions?: FlowService[] }).fcl_extensions ?? []
  found(services.filter(({ type, method }) => type === 'authn' && method === 'EXT/RPC').map(flowWallet))
}

function flowWallet(service: FlowService): InstalledWallet {
  const name = service.provider?.name ?? 'Flow'
  return {
    id: `FlowAddress:${service.uid ?? service.id ?? name}`,
    kind: 'FlowAddress',
    name,
    icon: safeIcon(service.provider?.icon),
    async prove(ask) {
      const challenge = await ask()
      if (!challenge.flow) throw new WalletFailure('unsupported')
      const answer = await signWithExtension(service, challenge.flow)
      const proof = answer.services?.find(({ type }) => type === 'account-proof')?.data
      const address = proof?.address ?? answer.addr
      if (address === undefined || !proof?.signatures) throw new WalletFailure('unsupported')
      const signatures = proof.signatures.map(({ addr, keyId, signature }) => ({ addr, keyId, signature }))
      return { challenge, proof: { address, signatures } }
    },
  }
}

/** Exchanges the messages of FCL with an extension over `window.postMessage`. */
function signWithExtension(
  service: FlowService,
  body: { appIdentifier: string; nonce: string },
): Promise<Authentication> {
  const say = (message: object) => window.postMessage(JSON.parse(JSON.stringify(message)), window.location.origin)
  return new Promise<Authentication>((resolve, reject) => {
    const end = (settle: () => void) => {
      window.removeEventListener('message', hear)
      clearTimeout(patience)
      settle()
    }
    const patience = setTimeout(() => end(() => reject(new WalletFailure('no-answer'))), READY_WITHIN_MS)
    const hear = ({ data, source }: MessageEvent<ExtensionMessage | null>) => {
      if (source !== window || typeof data !== 'object' || data === null) return
      if (data.type === 'FCL:VIEW:READY') {
        clearTimeout(patience)
        const { params, data: own, type } = service
        say({ type: 'FCL:VIEW:READY:RESPONSE', body, service: { params, data: own, type }, config: {} })
      } else if (data.type === 'FCL:VIEW:CLOSE' || data.status === 'DECLINED')
        end(() => reject(new WalletFailure('rejected')))
      else if (data.type === 'FCL:VIEW:RESPONSE' && data.status === 'APPROVED') end(() => resolve(data.data ?? {}))
    }
    window.addEventListener('message', hear)
    say({ service })
  })
}
