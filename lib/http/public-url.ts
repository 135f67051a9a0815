const PORTS = ['', '8443'] // the URL parser drops the default port 443 of https

const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/
const IP_LITERAL = /^(\d+\.\d+\.\d+\.\d+|\[.*\])$/
const PRIVATE_NAME = /^(localhost|internal|local|.+\.(localhost|internal|local))$/

/**
 * Returns why the service must not call a URL that an owner configured, or null if it may. Against SSRF, only public https URLs are
 * allowed, and none of `ownHosts`, where the service would call itself. `allowLocal` also accepts http, any port and loopback, for the local
 * world.
 */
export function publicUrlProblem(
  url: string,
  { allowLocal, ownHosts }: { allowLocal: boolean; ownHosts: (string | null)[] },
): string | null {
  const parsed = URL.parse(url)
  if (!parsed) return 'not a URL'
  if (parsed.username || parsed.password) return 'a URL with a user name or password is not accepted'

  const host = parsed.hostname.replace(/\.$/, '')
  if (ownHosts.includes(host)) return `${host} is a host of the service itself`
  if (allowLocal && (parsed.protocol === 'http:' || parsed.protocol === 'https:')) {
    return LOOPBACK.test(host) ? null : hostProblem(host)
  }
  if (parsed.protocol !== 'https:') return 'must begin with https://'
  if (!PORTS.includes(parsed.port)) return 'the port must be 443 or 8443'
  return hostProblem(host)
}

function hostProblem(host: string): string | null {
  if (IP_LITERAL.test(host)) return 'an IP address is not accepted: use a host name'
  if (PRIVATE_NAME.test(host) || !host.includes('.')) return `${host} is not a public host name`
  return null
}
