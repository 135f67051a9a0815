import ipaddr from 'ipaddr.js'

/** The networks that a caller is counted by: whoever has one of their addresses can usually have them all. */
export interface Networks {
  /** What one household or phone has: an IPv4 address, or an IPv6 /64 network. */
  near: string
  /** What one customer of a provider or hoster has at most: an IPv4 address, or an IPv6 /48 network. */
  wide: string
}

/** The networks of an address, as `CF-Connecting-IP` gives it. All that have none, or none that is valid, count as one. */
export function parseNetworks(address: string | undefined | null): Networks {
  if (!address || !ipaddr.isValid(address)) return { near: 'unknown', wide: 'unknown' }
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return { near: parsed.toString(), wide: parsed.toString() }
  const prefix = (bits: number) => `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/${bits}`)}/${bits}`
  return { near: prefix(64), wide: prefix(48) }
}
