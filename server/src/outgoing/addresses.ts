import { BlockList, isIP } from 'node:net'

/**
 * Addresses of private networks and special purposes (IANA registries, RFC 6890 and updates). Cloud metadata services
 * use addresses in these ranges.
 */
const notPublic4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and the metadata service of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
  '168.63.129.16/32', // the metadata service of Azure, in a public range
]

/**
 * Global unicast is 2000::/3; all other ranges (loopback, mapped, NAT64, unique local, link-local, multicast) are
 * special.
 */
const public6 = '2000::/3'
const notPublic6 = [
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: carries any IPv4 address
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
]

const refused = blockList([...notPublic4, ...notPublic6])
const unicast = blockList([public6])

/** Whether a text is an IPv4 or IPv6 address of the public Internet. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refused.check(address, 'ipv4')
    case 6:
      return unicast.check(address, 'ipv6') && !refused.check(address, 'ipv6')
    default:
      return false
  }
}

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network, length] = range.split('/') as [string, string]
    list.addSubnet(network, Number(length), network.includes(':') ? 'ipv6' : 'ipv4')
  }
  return list
}
