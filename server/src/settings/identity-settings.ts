import { z } from 'zod'
import { type AllowedHost, hostOfUrl } from './hosts.ts'
import { aliasesFault } from './scopes.ts'
import { httpUrl } from './http-url.ts'
import { type SocialConfig, socialConfig, socialSettings, socialUrls } from './social-settings.ts'

/** Settings of the identity kinds that depend on an external service; part of the table in config.ts. */
export const identitySettings = {
  QUESTBOARD_EVM_RPC: z
    .string()
    .default('')
    .transform((text, context) => {
      const urls = parseChainUrls(text)
      if (urls) return urls
      context.addIssue({ code: 'custom', message: 'must be CHAINID=URL, several separated by commas' })
      return z.NEVER
    })
    .describe(
      'JSON-RPC nodes that verify contract wallets: CHAINID=URL, separated by commas. Contract wallets of other chains cannot sign in.',
    ),
  QUESTBOARD_APTOS_NETWORK: z
    .enum(['mainnet', 'testnet'], 'must be mainnet or testnet')
    .default('mainnet')
    .describe('Aptos network of AptosAddress.'),
  QUESTBOARD_APTOS_NODE: httpUrl('https://fullnode.mainnet.aptoslabs.com/v1')
    .optional()
    .describe(
      'REST URL of an Aptos full node. If it is not set, AptosAddress accepts only the original key of an account, even after a rotation.',
    ),
  QUESTBOARD_FLOW_NETWORK: z
    .enum(['mainnet', 'testnet', 'emulator'], 'must be mainnet, testnet or emulator')
    .default('mainnet')
    .describe('Flow network of FlowAddress.'),
  QUESTBOARD_FLOW_NODE: httpUrl('https://rest-mainnet.onflow.org')
    .optional()
    .describe(
      'REST URL of a Flow access node. If it is not set, FlowAddress is off, because the keys are only on the chain.',
    ),
  QUESTBOARD_SERVICE_ID_ALIASES: z
    .string()
    .default('GalxeID')
    .refine((text) => aliasesFault(nameList(text)) === undefined, {
      error: ({ input }) => aliasesFault(nameList(String(input))) ?? '',
    })
    .describe(
      'Aliases of the scope ServiceID, separated by commas; `none` turns them off. User data has the fields of each alias: GalxeID and GalxeUserID.',
    ),
  ...socialSettings,
}

const nameList = (text: string): string[] =>
  (text.trim() === 'none' ? '' : text)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')

type IdentitySettings = z.infer<z.ZodObject<typeof identitySettings>>

export interface IdentityConfig extends SocialConfig {
  /** JSON-RPC URL by EVM chain id. */
  evmRpc: ReadonlyMap<number, string>
  aptos: { network: 'mainnet' | 'testnet'; node: string | undefined }
  flow: { network: 'mainnet' | 'testnet' | 'emulator'; node: string | undefined }
  /** Further names of the scope ServiceID. */
  serviceIdAliases: readonly string[]
}

export function identityConfig(s: IdentitySettings): IdentityConfig {
  return {
    evmRpc: s.QUESTBOARD_EVM_RPC,
    aptos: { network: s.QUESTBOARD_APTOS_NETWORK, node: s.QUESTBOARD_APTOS_NODE },
    flow: { network: s.QUESTBOARD_FLOW_NETWORK, node: s.QUESTBOARD_FLOW_NODE },
    serviceIdAliases: nameList(s.QUESTBOARD_SERVICE_ID_ALIASES),
    ...socialConfig(s),
  }
}

/** The hosts of the URLs that the operator named here: naming one allows requests to it, also in a private network. */
export function configuredHosts(identity: IdentityConfig): AllowedHost[] {
  const urls = [...identity.evmRpc.values(), identity.aptos.node, identity.flow.node, ...socialUrls(identity)]
  return urls.filter((text) => text !== undefined).map(hostOfUrl)
}

function parseChainUrls(text: string): Map<number, string> | undefined {
  const entries = text.split(',').filter((entry) => entry.trim() !== '')
  const urls = new Map<number, string>()
  for (const entry of entries) {
    const [, chain, url] = /^\s*([1-9]\d{0,15})\s*=\s*(https?:\/\/\S+?)\s*$/.exec(entry) ?? []
    if (chain === undefined || url === undefined || !URL.canParse(url)) return undefined
    urls.set(Number(chain), url)
  }
  return urls
}
