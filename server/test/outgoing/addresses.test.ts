import { expect, test } from 'vitest'
import { isPublicAddress } from '../../src/outgoing/addresses.ts'
import { loadConfig } from '../../src/config.ts'
import { isAllowedHost, parseAllowedHost } from '../../src/settings/hosts.ts'

test.each(['1.1.1.1', '93.184.216.34', '100.63.255.255', '100.128.0.0', '172.15.0.1', '172.32.0.1', '223.255.255.255'])(
  '%s is public',
  (address) => expect(isPublicAddress(address)).toBe(true),
)

test.each(['2606:4700::1111', '2a00:1450:4001:80b::200e', '2001:4860:4860::8888'])('%s is public', (address) =>
  expect(isPublicAddress(address)).toBe(true),
)

test.each([
  ['this network', '0.0.0.0'],
  ['this network', '0.1.2.3'],
  ['private', '10.0.0.1'],
  ['private', '172.16.0.1'],
  ['private', '172.31.255.255'],
  ['private', '192.168.1.1'],
  ['carrier-grade NAT', '100.64.0.1'],
  ['carrier-grade NAT', '100.127.255.255'],
  ['loopback', '127.0.0.1'],
  ['loopback', '127.255.255.254'],
  ['link-local, metadata', '169.254.169.254'],
  ['metadata', '168.63.129.16'],
  ['metadata', '100.100.100.200'],
  ['protocol assignments, metadata', '192.0.0.192'],
  ['documentation', '192.0.2.1'],
  ['benchmarks', '198.19.0.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified', '::'],
  ['loopback', '::1'],
  ['IPv4-mapped', '::ffff:127.0.0.1'],
  ['IPv4-mapped, public inside', '::ffff:1.1.1.1'],
  ['IPv4-mapped, in hex', '::ffff:7f00:1'],
  ['IPv4-compatible', '::127.0.0.1'],
  ['NAT64', '64:ff9b::7f00:1'],
  ['local NAT64', '64:ff9b:1::a00:1'],
  ['6to4', '2002:7f00:1::'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['discard', '100::1'],
  ['unique local', 'fd00::1'],
  ['unique local, metadata', 'fd00:ec2::254'],
  ['link-local', 'fe80::1'],
  ['link-local with a zone', 'fe80::1%eth0'],
  ['multicast', 'ff02::1'],
  ['documentation', '2001:db8::1'],
  ['documentation', '3fff::1'],
  ['no address', 'localhost'],
  ['no address', ''],
])('%s is not public: %s', (_, address) => expect(isPublicAddress(address)).toBe(false))

test('accepts a host with or without a port, in any spelling of its address', () => {
  expect(parseAllowedHost('RPC.internal')).toEqual({ hostname: 'rpc.internal', port: undefined })
  expect(parseAllowedHost(' 10.0.0.5:8545 ')).toEqual({ hostname: '10.0.0.5', port: 8545 })
  expect(parseAllowedHost('[0:0::1]:80')).toEqual({ hostname: '[::1]', port: 80 })
  for (const wrong of ['', 'http://a', 'a/b', 'a:0', 'a:65536', 'user@a', '::1', 'a b', '[a]'])
    expect(parseAllowedHost(wrong), wrong).toBeUndefined()
})

test('allows a host with a port only on this port and only by its full name', () => {
  const hosts = [
    { hostname: 'rpc.internal', port: 8545 },
    { hostname: 'files.internal', port: undefined },
  ]
  expect(isAllowedHost(hosts, 'rpc.internal', 8545)).toBe(true)
  expect(isAllowedHost(hosts, 'RPC.internal.', 8545)).toBe(true)
  expect(isAllowedHost(hosts, 'rpc.internal', 80)).toBe(false)
  expect(isAllowedHost(hosts, 'files.internal', 1)).toBe(true)
  expect(isAllowedHost(hosts, 'evil.files.internal', 1)).toBe(false)
  expect(isAllowedHost(hosts, 'files.internal.evil', 1)).toBe(false)
})

test('reads a list separated by commas, and rejects a wrong entry with the allowed format', () => {
  const load = (value: string) => loadConfig({ QUESTBOARD_OUTGOING_HOSTS: value }).outgoingHosts
  const upstreams = load('')
  expect(load('a:1, b')).toEqual([{ hostname: 'a', port: 1 }, { hostname: 'b', port: undefined }, ...upstreams])
  expect(() => load('a,http://b')).toThrow(/QUESTBOARD_OUTGOING_HOSTS must be host or host:port/)
})
