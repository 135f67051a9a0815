const PORTS = ['', '8443'] // the URL parser drops https's own 443

const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/
const IP_LITERAL = /^(\d+\.\d+\.\d+\.\d+|\[.*\])$/
const PRIVATE_NAME = /^(localhost|internal|local|.+\.(localhost|internal|local))$/

/**
 * Why a URL that an owner wrote must not be called (SSRF), or null if it may be: only public https, so that nobody makes our Workers call
 * into a private network; nor `ownHosts`, where we would call ourselves. `allowLocal` also accepts http, any port and loopback: the local
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
