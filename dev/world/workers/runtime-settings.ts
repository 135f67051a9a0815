/** How the runtime is set, for the world's Workers and for the bare ones that benchmarks hold beside them. */
export const RUNTIME = {
  host: '127.0.0.1',
  cf: { country: 'US' },
  // Miniflare's own line for each request: the Workers write one themselves.
  logRequests: false,
}

/** How each Worker is set. */
export const WORKER = {
  // Miniflare would copy the headers of each outgoing request to take out one that the Workers never send.
  stripCfConnectingIp: false,
}
